// SPDX-License-Identifier: MIT
#include "listed_gradients.hpp"

#include "../../at.hpp"
#include "scatter_search.hpp"
#include "stage_copier.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

/// Gradients that are lists, and the nodes from which they are computed.
class GradientSearch {
public:
    explicit GradientSearch(const Graph& step)
        : step_(step),
          scatters_(step),
          is_read_(step.nodes.size()),
          is_below_(step.nodes.size()),
          is_early_(step.nodes.size()) {
        for (const NodeId update : step.updates) is_read_[at(update)] = true;
        for (const NodeId skip : step.skips) is_read_[at(skip)] = true;
        // Operands precede their readers.
        for (auto id = static_cast<NodeId>(step.nodes.size()); id-- > 0;) visit(id);
        for (NodeId id = 0; id < static_cast<NodeId>(step.nodes.size()); ++id) find_early(id);
    }

    bool is_gradient(NodeId id) const { return std::ranges::find(gradients_, id) != gradients_.end(); }
    const std::vector<NodeId>& gradients() const { return gradients_; }
    /// True for nodes that are computed before the step: gradients are computed from them, or they read no
    /// gradient and no updated value.
    bool is_first(NodeId id) const { return is_below_[at(id)] || is_early_[at(id)]; }

private:
    void visit(NodeId id) {
        const Node& node = step_[id];
        const bool is_list =
            is_read_[at(id)] && node.kind == NodeKind::on && !scatters_.scatters_of(id).empty();
        if (is_list) gradients_.push_back(id);
        ir::for_each_id(node, [&](NodeId operand) {
            if (operand == no_node) return;
            if (is_read_[at(id)] && !is_list) is_read_[at(operand)] = true;
            if (is_list || is_below_[at(id)]) is_below_[at(operand)] = true;
        });
    }

    void find_early(NodeId id) {
        const Node& node = step_[id];
        const auto is_mask = [&](NodeId gradient) { return step_[gradient].mask == id; };
        bool is_early =
            node.kind != NodeKind::updated && !is_gradient(id) && std::ranges::none_of(gradients_, is_mask);
        ir::for_each_id(node, [&](NodeId operand) {
            is_early = is_early && (operand == no_node || is_early_[at(operand)]);
        });
        is_early_[at(id)] = is_early;
    }

    const Graph& step_;
    ScatterSearch scatters_;
    std::vector<bool> is_read_;   // by updates and skips, not only by gradients
    std::vector<bool> is_below_;  // gradients are computed from it
    std::vector<bool> is_early_;  // reads no gradient and no update
    std::vector<NodeId> gradients_;
};

class GradientSplit {
public:
    explicit GradientSplit(const Graph& step) : step_(step), search_(step), first_(step, "first ") {
        for (const NodeId id : search_.gradients()) of_mask_.emplace(step[id].mask, id);
    }

    bool has_gradients() const { return !search_.gradients().empty(); }

    GradientParts run() {
        StageCopier rest(step_, [&](NodeId id) { return stand_in(rest, id); });
        rest.graph().shaped = true;
        rest.copy_updates([](const Node& /*update*/) { return true; });
        for (const NodeId skip : step_.skips) rest.graph().skips.push_back(rest.copy(skip));
        first_.copy_checks();
        const Stage step = rest.stage();
        return {first_.stage(), skips(step), components(step)};
    }

private:
    std::optional<NodeId> stand_in(StageCopier& rest, NodeId id) {
        if (search_.is_gradient(id)) return gradient(rest, id);
        if (const auto known = of_mask_.find(id); known != of_mask_.end()) {
            const NodeId made = rest.copy(known->second);
            return rest[made].mask;
        }
        const Node& node = step_[id];
        const bool is_made = info_of(node.kind).accumulates || node.kind == NodeKind::size;
        const bool is_first = is_made && search_.is_first(id);
        return is_first ? std::optional(first_.read_value(rest, id)) : std::nullopt;
    }

    /// A gradient as a masked tensor.
    NodeId gradient(StageCopier& rest, NodeId id) {
        const Node& node = step_[id];
        const auto [index, is_new] = first_.result_of(id);
        if (is_new) {
            const NodeId made = first_.copy(id);
            first_.graph().results.push_back(made);
        }
        const std::string name = "gradient " + std::to_string(index);
        Node read{.kind = NodeKind::symbol, .dtype = node.dtype, .shape = node.shape};
        read.symbol = rest.stage_symbol({name, SymbolKind::masked, node.dtype, node.shape},
                                        {.is_value = true, .index = index, .is_masked = true});
        read.mask = rest.add(
            {.kind = NodeKind::mask_of, .dtype = DType::boolean, .symbol = read.symbol, .shape = node.shape});
        return rest.add(read);
    }

    static std::vector<Stage> skips(const Stage& step) {
        std::vector<Stage> made = skips_of(step.graph);
        for (Stage& one : made) give_sources(one, step);
        return made;
    }

    /// Gives arguments of a part of a step the sources that the step's have.
    static void give_sources(Stage& part, const Stage& step) {
        for (StageArgument& argument : part.arguments) argument = step.arguments[at(argument.index)];
    }

    /// Parts of a step none of which reads the targets of another.
    static std::vector<Stage> components(const Stage& step) {
        const std::vector<int> part_of = parts_of(step.graph);
        std::vector<int> parts;
        for (const NodeId update : step.graph.updates) {
            const int part = part_of[at(step.graph[update].symbol)];
            if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
        }
        std::vector<Stage> made;
        for (const int part : parts) {
            StageCopier copier(step.graph);
            copier.graph().shaped = true;
            copier.copy_updates([&](const Node& update) { return part_of[at(update.symbol)] == part; });
            Stage one = copier.stage();
            give_sources(one, step);
            made.push_back(std::move(one));
        }
        return made;
    }

    /// For each symbol a number that those have in common whose updates read one another.
    static std::vector<int> parts_of(const Graph& step) {
        std::vector<int> parts(step.symbols.size());
        std::iota(parts.begin(), parts.end(), 0);
        const auto unite = [&](int a, int b) {
            const int from = parts[at(a)], to = parts[at(b)];
            std::ranges::replace(parts, from, to);
        };
        const auto is_written = [&](int symbol) {
            const SymbolKind kind = step.symbols[at(symbol)].kind;
            return kind == SymbolKind::in_out || kind == SymbolKind::scalar_state;
        };
        // For each node the written symbols that it reads, as one of them: the other symbols are united with
        // it.
        std::vector<int> reads(step.nodes.size(), -1);
        for (NodeId id = 0; id < static_cast<NodeId>(step.nodes.size()); ++id) {
            const Node& node = step[id];
            int& read = reads[at(id)];
            if (node.symbol >= 0 && is_written(node.symbol)) read = node.symbol;
            ir::for_each_id(node, [&](NodeId operand) {
                if (operand == no_node || reads[at(operand)] < 0) return;
                if (read >= 0) unite(reads[at(operand)], read);
                read = reads[at(operand)];
            });
        }
        unite_numbers(step, parts);
        return parts;
    }

    /// Puts parts that update only numbers into the part of the first tensor.
    static void unite_numbers(const Graph& step, std::vector<int>& parts) {
        const auto is_tensor = [&](NodeId update) { return step[update].is_tensor_update(); };
        const auto first = std::ranges::find_if(step.updates, is_tensor);
        if (first == step.updates.end()) return;
        for (const NodeId update : step.updates) {
            const int part = parts[at(step[update].symbol)];
            const bool has_tensor = std::ranges::any_of(step.updates, [&](NodeId other) {
                return is_tensor(other) && parts[at(step[other].symbol)] == part;
            });
            if (!has_tensor) std::ranges::replace(parts, part, parts[at(step[*first].symbol)]);
        }
    }

    const Graph& step_;
    GradientSearch search_;
    FirstStage first_;
    std::map<NodeId, NodeId> of_mask_;  // the gradient that has a mask
};

}  // namespace

std::optional<GradientParts> split_gradients(const Graph& step) {
    GradientSplit split(step);
    if (!split.has_gradients()) return {};
    return split.run();
}

}  // namespace frisket::planning
