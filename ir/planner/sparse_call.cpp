// SPDX-License-Identifier: MIT
#include "sparse_call.hpp"

#include <utility>

#include "../rewrite.hpp"

namespace frisket {

SparseCall sparse_call(Graph graph, const IterationSpaceAnalysis& nodes, const CoordinateSet& places,
                       std::span<const Argument> arguments) {
    std::vector<bool> is_bound_by_list(graph.symbols.size(), false);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        if (!nodes.is_listed(id) || !nodes.works(id)) continue;  // of what does not work nothing is read here
        Node& node = graph.nodes[static_cast<std::size_t>(id)];
        node.shape = nodes.shape(id, places.count());
        if (node.kind == NodeKind::view && !places.space().by_rows) {
            node.kind = NodeKind::reshape;  // what is listed lies in a line
            node.attributes.clear();
            node.offsets.clear();
        }
        if (node.symbol < 0) continue;
        graph.symbols[static_cast<std::size_t>(node.symbol)].shape = node.shape;
        is_bound_by_list[static_cast<std::size_t>(node.symbol)] = true;
    }
    graph.equal_masks.clear();
    prune(graph);
    SparseCall made;
    for (const int before : prune_symbols(graph)) {
        const auto symbol = static_cast<std::size_t>(before);
        if (!is_bound_by_list[symbol]) {
            made.arguments.push_back(arguments[symbol]);
            continue;
        }
        const Symbol& listed = graph.symbols[made.arguments.size()];
        made.kept.push_back(places.values_of(symbol, arguments[symbol], listed.shape));
        if (listed.kind == SymbolKind::masked)
            made.arguments.emplace_back(made.kept.back());
        else
            made.arguments.emplace_back(made.kept.back().values());
    }
    made.graph = std::move(graph);
    return made;
}

}  // namespace frisket
