// SPDX-License-Identifier: MIT
#include "equal_masks.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"

#include <algorithm>
#include <map>

namespace frisket::planning {

using ir::at;

namespace {

/// Masks of lists that are replaced by other masks.
std::map<NodeId, NodeId> equal_masks(const PlanRequest& request) {
    const Graph& graph = request.graph;
    std::map<NodeId, NodeId> found;
    const auto is_list = [&](NodeId id) {
        const Node& node = graph[id];
        return node.kind == NodeKind::mask_of && request.facts[node.symbol].is_list();
    };
    for (const Node& node : graph.nodes) {
        if (node.kind != NodeKind::op || node.op != op_id<op::LogicalAnd>) continue;
        const NodeId one = std::min(node.operands[0], node.operands[1]),
                     other = std::max(node.operands[0], node.operands[1]);
        if (one == other || found.contains(other) || !is_list(one) || !is_list(other)) continue;
        if (graph[one].shape != graph[other].shape) continue;
        if (!request.have_same_places(graph[one].symbol, graph[other].symbol)) continue;
        const auto first = found.find(one);
        found.emplace(other, first == found.end() ? one : first->second);
    }
    return found;
}

}  // namespace

std::optional<Graph> with_equal_masks(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const auto is_pass = [](const Node& node) {
        return node.kind == NodeKind::reduce || node.kind == NodeKind::scan;
    };
    if (std::ranges::none_of(graph.nodes, is_pass)) return {};
    const std::map<NodeId, NodeId> equal = equal_masks(request);
    if (equal.empty()) return {};
    ir::Rewriter to(graph);
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        const Node& node = graph[old];
        if (const auto first = equal.find(old); first != equal.end()) return to.copy(first->second);
        // A list keeps its own mask.
        if (node.kind != NodeKind::symbol || node.mask == no_node || !equal.contains(node.mask)) return {};
        Node list = node;
        list.mask = to.add(graph[node.mask]);
        return to.add(std::move(list));
    };
    to.copy_all();
    return to.finish();
}

}  // namespace frisket::planning
