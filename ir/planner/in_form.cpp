// SPDX-License-Identifier: MIT
#include "in_form.hpp"

#include "whole_masks.hpp"

#include <algorithm>

namespace frisket::planning {

namespace {

/// True for a node that has its form in a graph of such nodes: nothing is repeated, and no mask is dropped.
bool has_form(const PlanRequest& request, const Node& node) {
    if (node.is_host_scalar || node.kind == NodeKind::symbol) return true;
    if (node.kind == NodeKind::mask_of) return !request.is_made(node.symbol);
    if (node.kind == NodeKind::reduce) {
        const Shape& shape = request.graph[node.operands[0]].shape;
        const bool is_any = node.reduction == Reduction::any;
        return !is_product(node) && (!is_any || std::ranges::find(shape, 1) == shape.end());
    }
    const bool is_condition = node.op == op_id<op::LogicalAnd> || node.op == op_id<op::LogicalOr>;
    return is_elementwise(node.kind) && !info_of(node.kind).keeps_elements && !is_condition &&
           !reads_repeated_mask(request.graph, node);
}

/// True for values that are read without a mask that they were given: where a stage has made them, they may
/// be read before it.
bool drops_mask(const Graph& graph, const Node& node) {
    return node.kind == NodeKind::cast && node.mask == no_node &&
           graph[node.operands[0]].kind == NodeKind::on;
}

}  // namespace

bool is_in_form(const PlanRequest& request) {
    const Graph& graph = request.graph;
    if (request.is_in_form &&
        std::ranges::none_of(graph.nodes, [&](const Node& node) { return drops_mask(graph, node); }))
        return true;
    return std::ranges::all_of(graph.nodes, [&](const Node& node) { return has_form(request, node); });
}

}  // namespace frisket::planning
