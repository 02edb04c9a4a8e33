// SPDX-License-Identifier: MIT
#include "body_stage.hpp"

#include <algorithm>
#include <utility>

#include "../at.hpp"
#include "../rewrite.hpp"

namespace frisket::plan {

using ir::at;

BodyStage body_at(Graph graph, const IterationSpaceAnalysis& nodes, ValueId coordinates,
                  std::span<const ValueId> operands) {
    std::vector<bool> is_listed(graph.symbols.size(), false);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        if (!nodes.is_listed(id) || !nodes.works(id)) continue;  // no node here reads it
        Node& node = graph.nodes[at(id)];
        node.shape = nodes.shape(id, coordinate_extent);
        const bool is_moved = node.kind == NodeKind::view && nodes.is_listed(node.operands[0]);
        if (is_moved && !nodes.space().by_rows) {
            node.kind = NodeKind::reshape;  // listed elements lie in a line
            node.attributes.clear();
            node.offsets.clear();
        }
        if (node.symbol < 0) continue;
        graph.symbols[at(node.symbol)].shape = node.shape;
        is_listed[at(node.symbol)] = true;
    }
    graph.equal_masks.clear();
    ir::prune(graph);
    BodyStage body{.coordinates = coordinates};
    for (const int symbol : ir::prune_symbols(graph))
        body.operands.push_back(
            {.value = operands[at(symbol)], .symbol = is_listed[at(symbol)] ? symbol : BodyOperand::whole});
    body.graph = std::move(graph);
    return body;
}

Graph with_extent(Graph graph, std::int64_t count) {
    for (Node& node : graph.nodes) std::ranges::replace(node.shape, coordinate_extent, count);
    for (Symbol& symbol : graph.symbols) std::ranges::replace(symbol.shape, coordinate_extent, count);
    return graph;
}

}  // namespace frisket::plan
