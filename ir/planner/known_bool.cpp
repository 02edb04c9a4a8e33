// SPDX-License-Identifier: MIT
#include "known_bool.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

namespace {

bool is_op(const Graph& graph, NodeId id, OpId op) {
    return graph[id].kind == NodeKind::op && graph[id].op == op;
}

bool reads(const Graph& graph, NodeId id, NodeId operand) {
    return std::ranges::find(graph[id].operands, operand) != graph[id].operands.end();
}

bool are_opposite(const Graph& graph, NodeId a, NodeId b) {
    const auto is_not = [&](NodeId one, NodeId of) {
        return is_op(graph, one, op_id<op::LogicalNot>) && graph[one].operands[0] == of;
    };
    return is_not(a, b) || is_not(b, a);
}

/// The bool that all elements are; nothing if they may differ.
std::optional<bool> constant_bool(const Graph& graph, NodeId id) {
    while (is_move(graph[id].kind) || graph[id].kind == NodeKind::cast) {
        if (graph[id].mask != no_node || graph[id].operands.size() != 1) return {};
        id = graph[id].operands[0];
    }
    const Node& node = graph[id];
    if (node.kind != NodeKind::constant) return {};
    return node.dtype == DType::int64 ? node.integer != 0 : node.constant != 0;
}

}  // namespace

std::optional<NodeId> known_bool(const Graph& graph, const Node& like, NodeId a, NodeId b) {
    const bool is_and = like.op == op_id<op::LogicalAnd>;
    const auto has_shape = [&](NodeId id) {
        const Node& node = graph[id];
        return node.dtype == DType::boolean && node.shape == like.shape && !node.is_host_scalar;
    };
    for (const auto& [one, two] : {std::pair(a, b), std::pair(b, a)})
        if (const auto value = constant_bool(graph, one)) {
            const NodeId known = *value == is_and ? two : one;
            if (like.mask == no_node && graph[known].mask == no_node && has_shape(known)) return known;
        }
    if (!has_shape(a) || !has_shape(b)) return {};
    if (a == b) return a;
    const OpId same = is_and ? op_id<op::LogicalAnd> : op_id<op::LogicalOr>;
    const OpId other = is_and ? op_id<op::LogicalOr> : op_id<op::LogicalAnd>;
    for (const auto& [one, two] : {std::pair(a, b), std::pair(b, a)}) {
        if (is_op(graph, one, same) && reads(graph, one, two)) return one;
        if (is_op(graph, one, other) && reads(graph, one, two)) return two;
    }
    if (is_and || !is_op(graph, a, other) || !is_op(graph, b, other)) return {};
    for (const std::size_t i : {0, 1})
        for (const std::size_t j : {0, 1}) {
            const NodeId common = graph[a].operands[i];
            if (common == graph[b].operands[j] && has_shape(common) &&
                are_opposite(graph, graph[a].operands[1 - i], graph[b].operands[1 - j]))
                return common;
        }
    return {};
}

}  // namespace frisket::planning
