// SPDX-License-Identifier: MIT
#include "stage_text.hpp"

#include "../../runtime/support/joined.hpp"
#include "../at.hpp"
#include "../graph_text.hpp"

namespace frisket {

namespace {

bool is_listed_symbol(const IterationSpace& space, std::size_t symbol) {
    return symbol < space.has_mask.size() && space.has_mask[symbol];
}

/// " of m, x": the masked symbols that store elements of a space.
std::string listed_names(const Graph& graph, const IterationSpace& space) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < graph.symbols.size(); ++i)
        if (is_listed_symbol(space, i)) names.push_back(graph.symbols[i].name);
    return names.empty() ? "" : " of " + joined(names);
}

}  // namespace

std::string body_text(const Graph& graph) {
    const auto text = [&](NodeId id) { return expression_text(graph, id, body_depth); };
    if (graph.updates.empty()) return joined(graph.results, text);
    return joined(graph.updates, [&](const Update& update) {
        return graph.symbols[at(update.symbol)].name + " takes " + text(update.value);
    });
}

std::string places_text(const CoordinateSet& places) {
    return places.space().by_rows ? count_text(places.count(), "row", "rows")
                                  : count_text(places.count(), "position", "positions");
}

std::vector<StageOperand> reads_at(const Graph& graph, const IterationSpaceAnalysis& nodes,
                                   const CoordinateSet& places, Rule rule) {
    std::vector<StageOperand> reads;
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        if (graph[id].symbol < 0 || !nodes.is_listed(id) || !nodes.works(id)) continue;
        const auto symbol = static_cast<std::size_t>(graph[id].symbol);
        const bool is_stored = rule == Rule::same_pattern && is_listed_symbol(places.space(), symbol);
        reads.push_back(
            {graph.symbols[symbol].name, is_stored ? "stored values" : "located at the positions"});
    }
    return reads;
}

Executor::Within stage_at(const Graph& graph, const IterationSpaceAnalysis& nodes,
                          const CoordinateSet& places, Rule rule) {
    const IterationSpace& space = places.space();
    Executor::Within within{{.rule = rule,
                             .space = places_text(places) + listed_names(graph, space),
                             .reads = reads_at(graph, nodes, places, rule)}};
    const std::int64_t all = space.by_rows ? space.shape[0] : element_count(space.shape);
    within.stage.why = std::to_string(places.count()) + " of " + std::to_string(all) +
                       (space.by_rows ? " rows" : " elements") + " are listed";
    for (const NodeId id : graph.results)
        within.formats.push_back(!nodes.is_listed(id)         ? ""
                                 : rule == Rule::same_pattern ? "values of the same list"
                                                              : "coo values of the union");
    return within;
}

}  // namespace frisket
