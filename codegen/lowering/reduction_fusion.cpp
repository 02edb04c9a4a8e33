// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "reduction_fusion.hpp"

#include <algorithm>
#include <tuple>

namespace frisket::codegen {

namespace {

/// Number of loops one after the other before each node is computed.
std::vector<int> levels_of(const Graph& graph) {
    std::vector<int> levels;
    for (const Node& node : graph.nodes) {
        int level = 0;
        for (const NodeId operand : node.operands)
            if (operand != no_node) level = std::max(level, levels[operand]);
        // to_dense reads the mask of its operand.
        if (node.kind == NodeKind::to_dense && graph[node.operands[0]].mask != no_node)
            level = std::max(level, levels[graph[node.operands[0]].mask]);
        levels.push_back(level + (info_of(node.kind).accumulates ? 1 : 0));
    }
    return levels;
}

}  // namespace

ReductionGroups::ReductionGroups(const Graph& graph, const Extents& extents) {
    using Key = std::tuple<int, std::vector<int>, std::vector<std::int64_t>>;
    std::map<Key, std::size_t> known;
    const std::vector<int> levels = levels_of(graph);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        if (!takes(node)) continue;
        // Extents of 1 are different dimensions and the same number.
        std::vector<int> key = extents.key(node.operands[0]);
        for (std::size_t dim = 0; dim < key.size(); ++dim)
            if (graph[node.operands[0]].shape[dim] == 1) key[dim] = -1;
        const auto [at, is_new] = known.try_emplace({levels[id], key, node.attributes}, groups_.size());
        if (is_new) groups_.emplace_back();
        groups_[at->second].push_back(id);
        group_of_[id] = at->second;
    }
}

}  // namespace frisket::codegen
