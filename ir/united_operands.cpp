// SPDX-License-Identifier: MIT
#include "united_operands.hpp"

namespace frisket::ir {

namespace {

bool is_op(const Node& node, OpId op) { return node.kind == NodeKind::op && node.op == op; }

/// True for where(condition, x, y) whose y is the cast operand that passes through.
bool is_choice(const Graph& graph, const Node& node, NodeId condition, NodeId alone) {
    if (!is_op(node, op_id<op::Where>) || node.operands[0] != condition) return false;
    const Node& other = graph[node.operands[2]];
    return other.kind == NodeKind::cast && other.mask == no_node && other.operands[0] == alone;
}

}  // namespace

std::optional<std::array<NodeId, 2>> united_operands(const Graph& graph, NodeId id, OpId op) {
    const Node& on = graph[id];
    if (on.kind != NodeKind::on || !is_op(graph[on.operands[0]], op_id<op::Where>)) return {};
    const Node& outer = graph[on.operands[0]];
    const Node& inner = graph[outer.operands[1]];
    if (!is_op(inner, op_id<op::Where>)) return {};
    const Node& both = graph[inner.operands[1]];
    if (!is_op(both, op) || both.mask != no_node || both.operands.size() != 2) return {};
    const NodeId a = both.operands[0], b = both.operands[1];
    const NodeId mask_a = graph[a].mask, mask_b = graph[b].mask;
    const Node& mask = graph[on.mask];
    const bool is_union = is_op(mask, op_id<op::LogicalOr>) && mask.operands == std::vector{mask_a, mask_b};
    if (!is_union || !is_choice(graph, outer, mask_a, b) || !is_choice(graph, inner, mask_b, a)) return {};
    return std::array{a, b};
}

}  // namespace frisket::ir
