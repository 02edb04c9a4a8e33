// SPDX-License-Identifier: MIT
#include "empty_masks.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"

#include <algorithm>
#include <utility>

namespace frisket::ir {

namespace {

/// One element, repeated.
NodeId repeated(Rewriter& to, NodeId element, DType dtype, const Shape& shape) {
    const NodeId one = to.add({.kind = NodeKind::cast, .dtype = dtype, .operands = {element}});
    if (shape.empty()) return one;
    return to.add({.kind = NodeKind::view, .dtype = dtype, .operands = {one}, .shape = shape});
}

NodeId zeros(Rewriter& to, DType dtype, const Shape& shape) {
    return repeated(to, to.constant(0), dtype, shape);
}

}  // namespace

std::vector<bool> zero_everywhere(const Graph& graph) {
    std::vector<bool> are;
    are.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) {
        const auto is_known_zero = [&](NodeId operand) { return are[at(operand)]; };
        const bool adds = node.kind == NodeKind::reduce &&
                          (node.reduction == Reduction::any || node.reduction == Reduction::sum);
        const bool is_same =
            node.kind == NodeKind::cast || node.kind == NodeKind::gather || is_move(node.kind) || adds;
        bool is_known = is_zero(node) || (is_same && is_known_zero(node.operands[0]));
        if (node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>)
            is_known = std::ranges::any_of(node.operands, is_known_zero);
        if (node.kind == NodeKind::cat || (node.kind == NodeKind::op && node.op == op_id<op::LogicalOr>))
            is_known = std::ranges::all_of(node.operands, is_known_zero);
        are.push_back(is_known && node.mask == no_node);
    }
    return are;
}

std::optional<Graph> without_unspecified_values(const Graph& graph) {
    if (std::ranges::none_of(graph.nodes, is_zero)) return {};
    const std::vector<bool> are_zero = zero_everywhere(graph);
    const auto is_nowhere = [&](const Node& node) { return node.mask != no_node && are_zero[at(node.mask)]; };
    const auto is_made_zero = [&](NodeId id) {
        const Node& node = graph[id];
        return (node.dtype == DType::boolean || info_of(node.kind).accumulates) &&
               node.kind != NodeKind::constant && are_zero[at(id)];
    };
    bool are_any = false;
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id)
        are_any = are_any || is_nowhere(graph[id]) || is_made_zero(id);
    if (!are_any) return {};
    Rewriter to(graph);
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        const Node& node = graph[old];
        if (node.is_host_scalar) return {};
        if (is_made_zero(old)) return zeros(to, node.dtype, node.shape);
        if (node.kind == NodeKind::to_dense && is_nowhere(graph[node.operands[0]]) &&
            graph[node.operands[1]].shape.empty())
            return repeated(to, to.copy(node.operands[1]), node.dtype, node.shape);
        if (!is_nowhere(node)) return {};
        const NodeId mask = to.copy(node.mask), values = zeros(to, node.dtype, node.shape);
        return to.add({.kind = NodeKind::on,
                       .dtype = node.dtype,
                       .operands = {values, mask},
                       .mask = mask,
                       .shape = node.shape});
    };
    to.copy_all();
    Graph made = to.finish();
    return made == graph ? std::nullopt : std::optional(std::move(made));
}

}  // namespace frisket::ir
