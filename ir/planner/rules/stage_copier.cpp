// SPDX-License-Identifier: MIT
#include "stage_copier.hpp"

#include "../../at.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace frisket::planning {

using ir::at;

StageCopier::StageCopier(const Graph& step, Rule replace)
    : ir::Rewriter(step, step.name), step_(step), replace_(std::move(replace)) {
    rule = [this](NodeId id) { return stand_in(id); };
}

int StageCopier::stage_symbol(Symbol symbol, StageArgument argument) {
    const auto known = std::ranges::find(arguments_, argument);
    if (known != arguments_.end()) return static_cast<int>(known - arguments_.begin());
    graph_.symbols.push_back(std::move(symbol));
    arguments_.push_back(argument);
    return static_cast<int>(arguments_.size()) - 1;
}

int StageCopier::stage_symbol(int index) {
    return stage_symbol(step_.symbols[at(index)], {.is_value = false, .index = index});
}

bool StageCopier::reads(int symbol) const {
    const StageArgument wanted{.is_value = false, .index = symbol};
    return std::ranges::find(arguments_, wanted) != arguments_.end();
}

NodeId StageCopier::read_memory(const Node& target) {
    Symbol only_read = step_.symbols[at(target.symbol)];
    only_read.kind = SymbolKind::in;
    Node read{.kind = NodeKind::symbol, .dtype = target.dtype};
    read.symbol = stage_symbol(only_read, {.is_value = false, .index = target.symbol});
    read.shape = target.shape;
    return add(read);
}

void StageCopier::copy_equal_masks() {
    for (const auto& [a, b] : step_.equal_masks)
        if (reads(step_[a].symbol) && reads(step_[b].symbol))
            graph().equal_masks.push_back({copy(a), copy(b)});
}

std::optional<NodeId> StageCopier::stand_in(NodeId id) {
    if (replace_)
        if (const std::optional<NodeId> other = replace_(id)) return other;
    if (step_[id].symbol < 0) return {};
    Node node = copied(id);
    node.symbol = stage_symbol(node.symbol);
    return add(std::move(node));
}

FirstStage::FirstStage(const Graph& step, std::string prefix, Rule replace)
    : StageCopier(step, [this](NodeId id) { return before_the_step(id); }),
      prefix_(std::move(prefix)),
      replace_(std::move(replace)) {
    graph().shaped = true;
}

std::pair<int, bool> FirstStage::result_of(NodeId id) {
    const auto known = std::ranges::find(computed_, id);
    const auto index = static_cast<int>(known - computed_.begin());
    const bool is_new = known == computed_.end();
    if (is_new) computed_.push_back(id);
    return {index, is_new};
}

NodeId FirstStage::read_value(StageCopier& reader, NodeId id) {
    const auto [index, is_new] = result_of(id);
    if (is_new) {
        NodeId made = copy(id);
        const Node& node = graph()[made];
        if (node.mask != no_node)
            made =
                add({.kind = NodeKind::cast, .dtype = node.dtype, .operands = {made}, .shape = node.shape});
        graph().results.push_back(made);
    }
    const Node& node = step()[id];
    const int symbol =
        reader.stage_symbol({prefix_ + std::to_string(index), SymbolKind::in, node.dtype, node.shape},
                            {.is_value = true, .index = index});
    Node read{.kind = NodeKind::symbol, .dtype = node.dtype, .mask = reader.copy(node.mask)};
    read.symbol = symbol;
    read.shape = node.shape;
    return reader.add(read);
}

void FirstStage::copy_checks() {
    for (const Check& check : step().checks) {
        Check made = check;
        made.bad = copy(check.bad);
        made.elements = copy(check.elements);
        made.value = copy(check.value);
        graph().checks.push_back(made);
    }
}

/// The value of an updated symbol, as a function of the arguments' values before the step.
std::optional<NodeId> FirstStage::before_the_step(NodeId id) {
    if (replace_)
        if (const std::optional<NodeId> other = replace_(id)) return other;
    const Node& node = step()[id];
    if (node.kind == NodeKind::updated) return after_update(node);
    const bool is_target =
        node.kind == NodeKind::symbol && step().symbols[at(node.symbol)].kind == SymbolKind::in_out;
    return is_target ? std::optional(read_memory(node)) : std::nullopt;
}

NodeId FirstStage::cast(NodeId value, DType dtype) {
    const Node& node = graph()[value];
    if (!node.is_host_scalar && node.dtype == dtype) return value;
    return add({.kind = NodeKind::cast, .dtype = dtype, .operands = {value}, .shape = node.shape});
}

/// The value that an update leaves, made without it: rounded as it would be.
NodeId FirstStage::after_update(const Node& update) {
    const NodeId value = update.operands[update_operand::value],
                 where = update.operands[update_operand::where];
    if (update.is_host_scalar) return copy(value);
    const Symbol& target = step().symbols[at(update.symbol)];
    if (update.operands[update_operand::seed] != no_node)
        raise(ErrorCode::value, step().name + ": an operation on whole tensors reads " + target.name +
                                    " after its stochastic rounding: let it read what is assigned instead");
    const NodeId before = copy(update.operands[update_operand::before]),
                 rounded = cast(cast(copy(value), target.dtype), update.dtype),
                 mask = where == no_node ? constant(true) : copy(where);
    return add({.kind = NodeKind::op,
                .op = op_id<op::Where>,
                .dtype = update.dtype,
                .operands = {mask, rounded, before},
                .shape = update.shape});
}

std::vector<Stage>
skips_of(const Graph& step,
         const std::function<std::optional<NodeId>(FirstStage& stage, NodeId id)>& replace) {
    std::vector<Stage> skips;
    for (const NodeId skip : step.skips) {
        FirstStage stage(step, "#", [&](NodeId id) -> std::optional<NodeId> {
            return replace && id != skip ? replace(stage, id) : std::nullopt;
        });
        stage.graph().results.push_back(stage.copy(skip));
        skips.push_back(stage.stage());
    }
    return skips;
}

}  // namespace frisket::planning
