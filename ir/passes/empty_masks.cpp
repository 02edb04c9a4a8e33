// SPDX-License-Identifier: MIT
#include "empty_masks.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"

#include <algorithm>
#include <utility>

namespace frisket::ir {

namespace {

/// The element 0, repeated.
NodeId zeros(Rewriter& to, DType dtype, const Shape& shape) {
    const NodeId one = to.add({.kind = NodeKind::cast, .dtype = dtype, .operands = {to.constant(0)}});
    if (shape.empty()) return one;
    return to.add({.kind = NodeKind::view, .dtype = dtype, .operands = {one}, .shape = shape});
}

}  // namespace

std::vector<bool> false_everywhere(const Graph& graph) {
    std::vector<bool> are;
    are.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) {
        const auto is_false = [&](NodeId operand) { return are[at(operand)]; };
        const bool is_any = node.kind == NodeKind::reduce && node.reduction == Reduction::any;
        const bool is_same =
            node.kind == NodeKind::cast || node.kind == NodeKind::gather || is_move(node.kind) || is_any;
        bool is_known = is_zero(node) || (is_same && is_false(node.operands[0]));
        if (node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>)
            is_known = std::ranges::any_of(node.operands, is_false);
        if (node.kind == NodeKind::op && node.op == op_id<op::LogicalOr>)
            is_known = std::ranges::all_of(node.operands, is_false);
        are.push_back(is_known && node.mask == no_node);
    }
    return are;
}

std::optional<Graph> without_unspecified_values(const Graph& graph) {
    if (std::ranges::none_of(graph.nodes, is_zero)) return {};
    const std::vector<bool> are_false = false_everywhere(graph);
    const auto is_nowhere = [&](const Node& node) {
        return node.mask != no_node && are_false[at(node.mask)];
    };
    if (std::ranges::none_of(graph.nodes, is_nowhere)) return {};
    Rewriter to(graph);
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        const Node& node = graph[old];
        if (node.is_host_scalar) return {};
        if (node.dtype == DType::boolean && node.kind != NodeKind::constant && are_false[at(old)])
            return zeros(to, DType::boolean, node.shape);
        if (!is_nowhere(node)) return {};
        const NodeId mask = to.copy(node.mask), values = zeros(to, node.dtype, node.shape);
        return to.add({.kind = NodeKind::on,
                       .dtype = node.dtype,
                       .operands = {values, mask},
                       .mask = mask,
                       .shape = node.shape});
    };
    to.copy_all();
    return to.finish();
}

}  // namespace frisket::ir
