// SPDX-License-Identifier: MIT
#include "partition.hpp"

#include "../../../runtime/layouts/layout.hpp"
#include "../../at.hpp"
#include "../../rewrite.hpp"
#include "partition_masks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace frisket::plan {

using ir::at;

namespace {

/// A stage in the making: copies of a step's nodes, over symbols of its own.
class StageCopier : public ir::Rewriter {
public:
    /// `replace` gives what stands for a node instead of its copy.
    StageCopier(const Graph& step, Rule replace)
        : ir::Rewriter(step, step.name), step_(step), replace_(std::move(replace)) {
        rule = [this](NodeId id) { return stand_in(id); };
    }

    /// The symbol of the copy that stands for one of the step, or for a value that is computed first.
    int stage_symbol(Symbol symbol, PhaseArgument argument) {
        const auto known = std::ranges::find(arguments_, argument);
        if (known != arguments_.end()) return static_cast<int>(known - arguments_.begin());
        graph_.symbols.push_back(std::move(symbol));
        arguments_.push_back(argument);
        return static_cast<int>(arguments_.size()) - 1;
    }
    int stage_symbol(int index) {
        return stage_symbol(step_.symbols[at(index)], {.is_value = false, .index = index});
    }
    bool reads(int symbol) const {
        const PhaseArgument wanted{.is_value = false, .index = symbol};
        return std::ranges::find(arguments_, wanted) != arguments_.end();
    }

    Stage stage() { return {finish(), std::move(arguments_)}; }

private:
    std::optional<NodeId> stand_in(NodeId id) {
        if (const std::optional<NodeId> other = replace_(id)) return other;
        if (step_[id].symbol < 0) return {};
        Node node = copied(id);
        node.symbol = stage_symbol(node.symbol);
        return add(std::move(node));
    }

    const Graph& step_;
    Rule replace_;
    std::vector<PhaseArgument> arguments_;  // source of each symbol
};

class Splitter {
public:
    explicit Splitter(const Graph& step)
        : step_(step),
          values_(step, [this](NodeId id) { return before_the_step(id); }),
          under_masks_(find_sampled_products(step)) {
        values_.graph().shaped = true;
        find_groups();
    }

    Partition run() {
        Partition phases;
        for (std::size_t group = 0; group < groups_.size(); ++group) phases.steps.push_back(step_of(group));
        for (const Check& check : step_.checks) {
            Check copy = check;
            copy.bad = values_.copy(check.bad);
            copy.elements = values_.copy(check.elements);
            values_.graph().checks.push_back(copy);
        }
        phases.values = values_.stage();
        return phases;
    }

private:
    const Symbol& symbol(int index) const { return step_.symbols[at(index)]; }

    /// Targets of one shape are one step.
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
        groups_ = shapes;
    }

    Stage step_of(std::size_t group) {
        StageCopier copier(step_, [&](NodeId id) { return inside_step(copier, group, id); });
        const auto is_here = [&](const Node& update) {
            return update.is_host_scalar || group_of_[at(update.symbol)] == static_cast<int>(group);
        };
        for (NodeId id = 0; id < static_cast<NodeId>(step_.nodes.size()); ++id) {
            if (step_[id].kind != NodeKind::updated || !is_here(step_[id])) continue;
            copier.stage_symbol(step_[id].symbol);  // before those that it is made from
            copier.copy(id);
        }
        for (const NodeId update : step_.updates)
            if (is_here(step_[update])) copier.graph().updates.push_back(copier.copy(update));
        for (const auto& [a, b] : step_.equal_masks)
            if (copier.reads(step_[a].symbol) && copier.reads(step_[b].symbol))
                copier.graph().equal_masks.push_back({copier.copy(a), copier.copy(b)});
        Stage stage = copier.stage();
        for (Node& node : stage.graph.nodes) node.shape.clear();
        for (Symbol& symbol : stage.graph.symbols) symbol.shape.clear();
        return stage;
    }

    // A step reads its own targets as they are at that point, those of others as they lie in memory when its
    // turn comes, and everything else from values.
    std::optional<NodeId> inside_step(StageCopier& copier, std::size_t group, NodeId id) {
        const Node& node = step_[id];
        if (node.is_host_scalar) return {};
        if (!is_elementwise(node.kind)) return value_symbol(copier, id);
        const bool is_target = node.symbol >= 0 && group_of_[at(node.symbol)] >= 0;
        if (!is_target || group_of_[at(node.symbol)] == static_cast<int>(group)) return {};
        const bool is_done = group_of_[at(node.symbol)] < static_cast<int>(group);
        const bool is_in_memory = is_done ? std::ranges::find(step_.updates, id) != step_.updates.end()
                                          : node.kind == NodeKind::symbol;
        return is_in_memory ? read_memory(copier, node) : value_symbol(copier, id);
    }

    /// A target as it lies in memory.
    NodeId read_memory(StageCopier& copier, const Node& target) {
        Symbol only_read = symbol(target.symbol);
        only_read.kind = SymbolKind::in;
        Node read{.kind = NodeKind::symbol, .dtype = target.dtype};
        read.symbol = copier.stage_symbol(only_read, {.is_value = false, .index = target.symbol});
        read.shape = target.shape;
        return copier.add(read);
    }

    /// A product that is read where a Masked symbol is specified, and nowhere else: a masked tensor that the
    /// first phase computes.
    NodeId product_symbol(StageCopier& copier, NodeId id) {
        const NodeId under = under_masks_[static_cast<std::size_t>(id)];
        const Node& node = step_[id];
        const auto [index, is_new] = result_of(id);
        if (is_new) {
            const NodeId mask = values_.copy(under);
            values_.graph().results.push_back(values_.add({.kind = NodeKind::on,
                                                           .dtype = node.dtype,
                                                           .operands = {values_.copy(id), mask},
                                                           .mask = mask,
                                                           .shape = node.shape}));
        }
        Node specified{.kind = NodeKind::mask_of, .dtype = DType::boolean};
        specified.symbol =
            copier.stage_symbol({"#" + std::to_string(index), SymbolKind::masked, node.dtype, {}},
                                {.is_value = true, .index = index, .over = step_[under].symbol});
        Node read{.kind = NodeKind::symbol, .dtype = node.dtype, .mask = copier.add(specified)};
        read.symbol = specified.symbol;
        copier.graph().equal_masks.push_back({copier.copy(under), read.mask});
        return copier.add(read);
    }

    /// Index of the result of the first phase that a node is, and true if it is a new one.
    std::pair<int, bool> result_of(NodeId id) {
        const auto known = std::ranges::find(computed_, id);
        const auto index = static_cast<int>(known - computed_.begin());
        const bool is_new = known == computed_.end();
        if (is_new) computed_.push_back(id);
        return {index, is_new};
    }

    /// A tensor that the first phase computes.
    NodeId value_symbol(StageCopier& copier, NodeId id) {
        if (under_masks_[static_cast<std::size_t>(id)] != no_node) return product_symbol(copier, id);
        const auto [index, is_new] = result_of(id);
        if (is_new) {
            NodeId copy = values_.copy(id);
            const Node& node = values_[copy];
            if (node.mask != no_node)
                copy = values_.add(
                    {.kind = NodeKind::cast, .dtype = node.dtype, .operands = {copy}, .shape = node.shape});
            values_.graph().results.push_back(copy);
        }
        const DType dtype = step_[id].dtype;
        const int symbol = copier.stage_symbol({"#" + std::to_string(index), SymbolKind::in, dtype, {}},
                                               {.is_value = true, .index = index});
        Node read{.kind = NodeKind::symbol, .dtype = dtype, .mask = copier.copy(step_[id].mask)};
        read.symbol = symbol;
        return copier.add(read);
    }

    NodeId cast(NodeId value, DType dtype) {
        const Node& node = values_[value];
        if (!node.is_host_scalar && node.dtype == dtype) return value;
        return values_.add(
            {.kind = NodeKind::cast, .dtype = dtype, .operands = {value}, .shape = node.shape});
    }

    /// The value of an updated symbol, as a function of the arguments' values before the step.
    std::optional<NodeId> before_the_step(NodeId id) {
        const Node& node = step_[id];
        if (node.kind == NodeKind::updated) return after_update(node);
        const bool is_target =
            node.kind == NodeKind::symbol && symbol(node.symbol).kind == SymbolKind::in_out;
        return is_target ? std::optional(read_memory(values_, node)) : std::nullopt;
    }

    /// The value that an update leaves, made without it: rounded as it would be.
    NodeId after_update(const Node& update) {
        const NodeId value = update.operands[update_operand::value],
                     where = update.operands[update_operand::where];
        if (update.is_host_scalar) return values_.copy(value);
        if (update.operands[update_operand::seed] != no_node)
            raise(ErrorCode::value,
                  step_.name + ": an operation on whole tensors reads " + symbol(update.symbol).name +
                      " after its stochastic rounding: let it read what is assigned instead");
        const NodeId before = values_.copy(update.operands[update_operand::before]),
                     rounded = cast(cast(values_.copy(value), symbol(update.symbol).dtype), update.dtype),
                     mask = where == no_node ? values_.constant(true) : values_.copy(where);
        return values_.add({.kind = NodeKind::op,
                            .op = op_id<op::Where>,
                            .dtype = update.dtype,
                            .operands = {mask, rounded, before},
                            .shape = update.shape});
    }

    const Graph& step_;
    StageCopier values_;
    std::vector<NodeId> under_masks_;  // for each node: find_sampled_products
    std::vector<Shape> groups_;
    std::vector<int> group_of_;     // for each symbol: the step that writes it, or -1
    std::vector<NodeId> computed_;  // nodes computed by the first phase
};

}  // namespace

Partition partition(const Graph& step) { return Splitter(step).run(); }

PhaseArguments::PhaseArguments(const Stage& phase, std::span<const Argument> given,
                               std::span<const Result> values, bool is_last) {
    for (const PhaseArgument& from : phase.arguments) {
        if (from.is_value)
            add(values[at(from.index)], from.over < 0 ? Argument() : given[at(from.over)]);
        else if (given[at(from.index)].kind() == Argument::Kind::state && !is_last)
            arguments_.push_back(Argument::state(states_.emplace_back(given[at(from.index)].number())));
        else
            arguments_.push_back(given[at(from.index)]);
    }
}

void PhaseArguments::add(const Result& value, const Argument& over) {
    const bool is_masked = over.kind() == Argument::Kind::masked && over.masked().layout() != Layout::dense;
    if (value.listed && is_masked)
        arguments_.push_back(Argument::borrow(*value.listed));
    else if (value.listed)
        arguments_.push_back(Argument::borrow(dense_.emplace_back(runtime::dense_values(*value.listed))));
    else if (is_masked)
        arguments_.push_back(
            Argument::borrow(masked_.emplace_back(AnyMasked::strided(value.values, *value.mask))));
    else
        arguments_.push_back(Argument::borrow(value.values));
}

}  // namespace frisket::plan
