// SPDX-License-Identifier: MIT
#include "assume_equal_masks.hpp"

#include <algorithm>

namespace frisket {

namespace {

/// Whether a mask is that of the symbols if all of these are equal.
bool is_their_mask(const Graph& graph, NodeId mask) {
    const Node& node = graph[mask];
    if (node.kind == NodeKind::mask_of) return true;
    const bool joins =
        node.kind == NodeKind::op && (node.op == op_id<op::LogicalAnd> || node.op == op_id<op::LogicalOr>);
    return joins &&
           std::ranges::all_of(node.operands, [&](NodeId operand) { return is_their_mask(graph, operand); });
}

}  // namespace

std::optional<Graph> with_equal_masks(Graph step) {
    std::vector<NodeId> masks;
    for (int symbol = 0; symbol < static_cast<int>(step.symbols.size()); ++symbol) {
        const Symbol& one = step.symbols[static_cast<std::size_t>(symbol)];
        if (one.kind != SymbolKind::masked) continue;
        step.nodes.push_back(
            {.kind = NodeKind::mask_of, .dtype = DType::boolean, .symbol = symbol, .shape = one.shape});
        masks.push_back(static_cast<NodeId>(step.nodes.size()) - 1);
    }
    if (masks.empty()) return {};
    for (Update& update : step.updates) {
        const SymbolKind kind = step.symbols[static_cast<std::size_t>(update.symbol)].kind;
        if (kind == SymbolKind::scalar_state) continue;
        if (update.mask == no_node || !is_their_mask(step, update.mask)) return {};
        update.mask = masks.front();
    }
    for (const NodeId mask : masks)
        if (mask != masks.front()) step.equal_masks.push_back({masks.front(), mask});
    return step;
}

}  // namespace frisket
