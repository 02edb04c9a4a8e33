// SPDX-License-Identifier: MIT
#include "dense_operand.hpp"

#include "../at.hpp"
#include "../passes/long_reductions.hpp"
#include "../rewrite.hpp"
#include "body_stage.hpp"

#include <utility>

namespace frisket::planning {

using ir::at;

void keep_dtypes(Graph& graph) {
    for (NodeId& result : graph.results) {
        const Node& node = graph[result];
        if (node.result_dtype() == node.dtype) continue;
        Node cast{.kind = NodeKind::cast, .dtype = node.dtype, .operands = {result}, .mask = node.mask};
        cast.shape = node.shape;
        graph.nodes.push_back(std::move(cast));
        result = static_cast<NodeId>(graph.nodes.size()) - 1;
    }
}

ValueId add_dense_operand(PlanBuilder& to, const Graph& graph, NodeId id, std::span<const ValueId> operands,
                          BodyValues* stored) {
    const Node& node = graph[id];
    const bool is_tensor = node.kind == NodeKind::symbol && !node.is_host_scalar;
    // A list has values only at its positions: a body makes a tensor of it.
    if (is_tensor && node.mask == no_node) return operands[at(node.symbol)];
    if (node.kind == NodeKind::view && node.mask == no_node && !node.is_host_scalar) {
        const ValueId operand = add_dense_operand(to, graph, node.operands[0], operands, stored);
        const ValueId made = to.new_value();
        to.add(rules::dense_operand, ViewStage{.node = node, .operand = dense_tensor(operand), .made = made});
        return made;
    }
    if (stored == nullptr) return add_dense_body(to, graph, id, operands);
    const auto [known, is_new] = stored->try_emplace(id, no_value);
    if (is_new) known->second = add_dense_body(to, graph, id, operands);
    return known->second;
}

ValueId add_dense_body(PlanBuilder& to, const Graph& from, NodeId id, std::span<const ValueId> operands) {
    Graph graph = ir::part_of(from, {id});
    keep_dtypes(graph);
    ir::reduce_in_parts(graph);
    const ValueId made = to.new_value();
    const bool is_masked = from[id].mask != no_node;
    BodyStage body{.results = {{made, is_masked ? ResultForm::masked : ResultForm::tensor}}};
    for (const int symbol : ir::prune_symbols(graph))
        body.operands.push_back({.value = operands[at(symbol)]});
    body.graph = std::move(graph);
    to.add(rules::dense_operand, std::move(body));
    return made;
}

ValueId add_coordinates(PlanBuilder& to, const PlanRequest& request, const IterationSpace& space) {
    const ValueId made = to.new_value();
    to.add(rules::union_of, CoordinatesStage{.space = space,
                                             .operands = {request.operands.begin(), request.operands.end()},
                                             .made = made});
    return made;
}

void add_lines(PlanBuilder& to, const PlanRequest& request, const IterationSpaceAnalysis& nodes,
               ValueId coordinates, const std::map<NodeId, ValueId>& made) {
    if (made.empty()) return;
    Graph wanted = request.graph;
    wanted.results.clear();
    wanted.checks.clear();
    std::vector<BodyResult> results;
    for (const auto& [id, value] : made) {
        wanted.results.push_back(id);
        results.push_back({.made = value, .form = ResultForm::in_line});
    }
    BodyStage body = body_at(std::move(wanted), nodes, coordinates, request.operands);
    body.results = std::move(results);
    keep_dtypes(body.graph);
    to.add(rules::union_of, std::move(body));
}

}  // namespace frisket::planning
