// SPDX-License-Identifier: MIT
#include "partition.hpp"

#include "../../at.hpp"
#include "partition_masks.hpp"
#include "stage_copier.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

class Splitter {
public:
    explicit Splitter(const Graph& step)
        : step_(step), values_(step), under_masks_(find_sampled_products(step)) {
        find_groups();
        find_computed();
    }

    Partition run() {
        Partition parts;
        for (std::size_t group = 0; group < groups_.size(); ++group) parts.steps.push_back(step_of(group));
        parts.skips =
            skips_of(step_, [this](FirstStage& stage, NodeId id) { return inside_skip(stage, id); });
        values_.copy_checks();
        parts.values = values_.stage();
        return parts;
    }

private:
    /// Targets of one shape are one step, and host scalars without a target.
    void find_groups() {
        std::vector<Shape> shapes;
        group_of_.assign(step_.symbols.size(), -1);
        for (const NodeId update : step_.updates) {
            if (step_[update].is_host_scalar) continue;
            const Shape& shape = step_[update].shape;
            const auto known = std::ranges::find(shapes, shape);
            group_of_[at(step_[update].symbol)] = static_cast<int>(known - shapes.begin());
            if (known == shapes.end()) shapes.push_back(shape);
        }
        if (shapes.empty()) shapes.emplace_back();
        groups_ = shapes;
    }

    /// Finds the nodes that are accumulated, or computed from such nodes.
    void find_computed() {
        is_computed_.resize(step_.nodes.size());
        for (std::size_t id = 0; id < step_.nodes.size(); ++id) {
            bool is_computed = info_of(step_.nodes[id].kind).accumulates;
            ir::for_each_id(step_.nodes[id], [&](NodeId operand) {
                is_computed = is_computed || (operand != no_node && is_computed_[at(operand)]);
            });
            is_computed_[id] = is_computed;
        }
    }

    /// Node by which a skip reads an accumulated value, computed once for the passes too.
    std::optional<NodeId> inside_skip(FirstStage& stage, NodeId id) {
        if (is_elementwise(step_[id].kind) || !is_computed_[at(id)]) return {};
        return value_symbol(stage, id);
    }

    Stage step_of(std::size_t group) {
        StageCopier copier(step_, [&](NodeId id) { return inside_step(copier, group, id); });
        const auto is_here = [&](const Node& update) {
            return update.is_host_scalar || group_of_[at(update.symbol)] == static_cast<int>(group);
        };
        copier.copy_updates(is_here);
        Stage stage = copier.stage();
        for (Node& node : stage.graph.nodes) node.shape.clear();
        for (Symbol& symbol : stage.graph.symbols) symbol.shape.clear();
        return stage;
    }

    // A step reads its own targets as they are at that point, targets of other steps as they are in memory
    // when its turn comes, and everything else from values.
    std::optional<NodeId> inside_step(StageCopier& copier, std::size_t group, NodeId id) {
        const Node& node = step_[id];
        if (node.is_host_scalar) return {};
        if (!is_elementwise(node.kind)) return value_symbol(copier, id);
        const bool is_target = node.symbol >= 0 && group_of_[at(node.symbol)] >= 0;
        if (!is_target || group_of_[at(node.symbol)] == static_cast<int>(group)) return {};
        const bool is_done = group_of_[at(node.symbol)] < static_cast<int>(group);
        const bool is_in_memory = is_done ? std::ranges::find(step_.updates, id) != step_.updates.end()
                                          : node.kind == NodeKind::symbol;
        return is_in_memory ? copier.read_memory(node) : value_symbol(copier, id);
    }

    /// A product that is read where a Masked symbol is specified, and nowhere else: a masked tensor that the
    /// first stage computes.
    NodeId product_symbol(StageCopier& copier, NodeId id) {
        const NodeId under = under_masks_[static_cast<std::size_t>(id)];
        const Node& node = step_[id];
        const auto [index, is_new] = values_.result_of(id);
        if (is_new) {
            const NodeId mask = values_.copy(under);
            values_.graph().results.push_back(values_.add({.kind = NodeKind::on,
                                                           .dtype = node.dtype,
                                                           .operands = {values_.copy(id), mask},
                                                           .mask = mask,
                                                           .shape = node.shape}));
        }
        Node specified{.kind = NodeKind::mask_of, .dtype = DType::boolean, .shape = node.shape};
        specified.symbol =
            copier.stage_symbol({"#" + std::to_string(index), SymbolKind::masked, node.dtype, node.shape},
                                {.is_value = true, .index = index, .over = step_[under].symbol});
        Node read{.kind = NodeKind::symbol,
                  .dtype = node.dtype,
                  .mask = copier.add(specified),
                  .shape = node.shape};
        read.symbol = specified.symbol;
        copier.graph().equal_masks.push_back({copier.copy(under), read.mask});
        return copier.add(read);
    }

    /// A tensor that the first stage computes.
    NodeId value_symbol(StageCopier& copier, NodeId id) {
        if (under_masks_[static_cast<std::size_t>(id)] != no_node) return product_symbol(copier, id);
        return values_.read_value(copier, id);
    }

    const Graph& step_;
    FirstStage values_;
    std::vector<NodeId> under_masks_;  // for each node: find_sampled_products
    std::vector<bool> is_computed_;    // for each node: find_computed
    std::vector<Shape> groups_;
    std::vector<int> group_of_;  // for each symbol: the step that writes it, or -1
};

}  // namespace

Partition partition(const Graph& step) { return Splitter(step).run(); }

}  // namespace frisket::planning
