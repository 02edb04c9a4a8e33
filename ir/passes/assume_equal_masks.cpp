// SPDX-License-Identifier: MIT
#include "assume_equal_masks.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"

#include <algorithm>
#include <utility>

namespace frisket::ir {

namespace {

/// True if a mask equals the masks of the symbols once all of these are equal.
bool is_their_mask(const Graph& graph, NodeId mask) {
    const Node& node = graph[mask];
    if (node.kind == NodeKind::mask_of) return true;
    const bool joins =
        node.kind == NodeKind::op && (node.op == op_id<op::LogicalAnd> || node.op == op_id<op::LogicalOr>);
    return joins &&
           std::ranges::all_of(node.operands, [&](NodeId operand) { return is_their_mask(graph, operand); });
}

}  // namespace

std::optional<Graph> with_equal_masks(const Graph& step) {
    Rewriter to(step);
    std::vector<NodeId> masks;
    for (int symbol = 0; symbol < static_cast<int>(step.symbols.size()); ++symbol) {
        const Symbol& one = step.symbols[at(symbol)];
        if (one.kind != SymbolKind::masked) continue;
        masks.push_back(to.add(
            {.kind = NodeKind::mask_of, .dtype = DType::boolean, .symbol = symbol, .shape = one.shape}));
    }
    if (masks.empty()) return {};
    for (const Node& node : step.nodes) {
        if (!node.is_tensor_update()) continue;
        const NodeId where = node.operands[update_operand::where];
        if (where == no_node || !is_their_mask(step, where)) return {};
    }
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        if (!step[old].is_tensor_update()) return {};
        Node node = to.copied(old);
        node.operands[update_operand::where] = masks.front();
        return to.add(std::move(node));
    };
    to.copy_all();
    for (const NodeId mask : masks)
        if (mask != masks.front()) to.graph().equal_masks.push_back({masks.front(), mask});
    return to.finish();
}

}  // namespace frisket::ir
