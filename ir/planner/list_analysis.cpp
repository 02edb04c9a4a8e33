// SPDX-License-Identifier: MIT
#include "list_analysis.hpp"

#include "../../runtime/layouts/stored.hpp"
#include "../at.hpp"

#include <algorithm>
#include <set>

namespace frisket::plan {

ListAnalysis::ListAnalysis(const PlanRequest& request, const IterationSpace& space)
    : graph_(request.graph), arguments_(request.arguments), nodes_(request.graph, space) {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
        const Node& node = graph_[id];
        const auto reads = [&](NodeId operand) { return operand != no_node && !reads_no_list(operand); };
        reads_list_.push_back(is_list(id) || reads(node.mask) || std::ranges::any_of(node.operands, reads));
    }
}

bool ListAnalysis::is_list(NodeId id) const {
    const Node& node = graph_[id];
    if (node.symbol < 0 || node.is_host_scalar) return false;
    const Argument& argument = arguments_[ir::at(node.symbol)];
    return argument.kind() == Argument::Kind::masked && runtime::is_listed_layout(argument.masked().layout());
}

bool ListAnalysis::is_list_with_its_mask(NodeId id) const {
    const Node& node = graph_[id];
    return is_list(id) && (node.mask == no_node || graph_[node.mask].symbol == node.symbol);
}

namespace {

/// The matrix that stands in three dimensions, of which the one named has extent 1: what a view shows, or the
/// instruction itself, whose elements have the same order.  no_node if there is none.
NodeId matrix_of(const Graph& graph, NodeId id, std::size_t added) {
    const Node& node = graph[id];
    if (node.shape.size() != 3 || node.shape[added] != 1) return no_node;
    if (node.kind != NodeKind::view) return id;
    return keeps_order(graph, node) ? node.operands[0] : no_node;
}

/// True if a mask is the conjunction of these, as the terms of a product see them; notes which it reads.
bool is_both(const Graph& graph, NodeId id, const std::vector<NodeId>& masks, std::set<NodeId>& read) {
    const Node& node = graph[id];
    if (std::ranges::find(masks, id) != masks.end()) {
        read.insert(id);
        return true;
    }
    if (node.kind == NodeKind::view) return is_both(graph, node.operands[0], masks, read);
    return node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd> &&
           is_both(graph, node.operands[0], masks, read) && is_both(graph, node.operands[1], masks, read);
}

}  // namespace

std::optional<ListProduct> list_product(const ListAnalysis& lists, NodeId id) {
    const Graph& graph = lists.graph();
    const Node& node = graph[id];
    if (!is_product(node) || node.mask == no_node || node.attributes != std::vector<std::int64_t>{1})
        return {};
    const Node& any = graph[node.mask];
    if (any.kind != NodeKind::reduce || any.operands[0] != node.operands[1] ||
        any.attributes != node.attributes)
        return {};
    ListProduct made{.id = id,
                     .left = matrix_of(graph, node.operands[0], 2),
                     .right = matrix_of(graph, node.operands[2], 0)};
    if (made.left == no_node || made.right == no_node || node.mask < std::max(made.left, made.right))
        return {};
    std::vector<NodeId> masks;
    for (const NodeId matrix : {made.left, made.right}) {
        const NodeId mask = graph[matrix].mask;
        if (mask == no_node && lists.reads_no_list(matrix)) continue;
        if (mask == no_node) return {};
        masks.push_back(mask);
    }
    std::set<NodeId> read;
    const bool is_known = is_both(graph, node.operands[1], masks, read) &&
                          std::ranges::all_of(masks, [&](NodeId mask) { return read.contains(mask); });
    return is_known ? std::optional(made) : std::nullopt;
}

}  // namespace frisket::plan
