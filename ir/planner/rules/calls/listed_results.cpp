// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../at.hpp"
#include "../../../rewrite.hpp"
#include "../../list_analysis.hpp"
#include "../../residual_graph.hpp"
#include "../coiterate.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

/// Some nodes of a graph as the results of a graph of their own.
class PartOf {
public:
    PartOf(const PlanRequest& request, std::vector<NodeId> results)
        : request_(request), graph_(ir::part_of(request.graph, std::move(results))) {}

    /// Takes results without their masks.
    PartOf& bare() {
        for (NodeId& result : graph_.results) {
            const Node& node = graph_[result];
            if (node.mask == no_node) continue;
            Node values{.kind = NodeKind::cast, .dtype = node.dtype, .operands = {result}};
            values.shape = node.shape;
            graph_.nodes.push_back(std::move(values));
            result = static_cast<NodeId>(graph_.nodes.size()) - 1;
        }
        return *this;
    }

    /// Its plan; symbols that it does not read are no lists.
    std::optional<Plan> plan() const {
        std::vector<Format> formats(request_.facts.formats().size());
        for (const Node& node : graph_.nodes)
            if (node.symbol >= 0) formats[at(node.symbol)] = request_.facts[node.symbol];
        const PlanFacts facts(std::move(formats),
                              [this](const PlanTest& test) { return request_.facts.is(test); });
        return plan_coiterate(
            {graph_, facts, request_.operands, request_.value_count, request_.argument_count});
    }

private:
    const PlanRequest& request_;
    Graph graph_;
};

/// The graph that is left when stages have made some results.
RestOfPlan rest_without(const PlanRequest& request, const std::vector<std::size_t>& made) {
    Graph graph = request.graph;
    for (auto i = made.size(); i-- > 0;)
        graph.results.erase(graph.results.begin() + static_cast<std::ptrdiff_t>(made[i]));
    graph.equal_masks.clear();
    return rest_of(std::move(graph), request.operands);
}

/// The plan of an expression whose results are computed at the positions of several lists: the first result
/// and the results that are computed at the same positions; the rest computes the remaining results.
/// Cost: linear in the graph for each result.
std::optional<Plan> plan_listed_results(const PlanRequest& request) {
    const std::size_t count = request.graph.results.size();
    if (count < 2) return {};
    const std::vector<bool>& may_be = may_be_whole(request);
    std::vector<std::size_t> made;
    std::vector<NodeId> nodes;
    std::optional<Plan> plan;
    for (std::size_t i = 0; i < count && made.size() + 1 < count; ++i) {
        if (may_be[at(request.graph.results[i])]) continue;
        nodes.push_back(request.graph.results[i]);
        auto found = PartOf(request, nodes).plan();
        if (found) {
            plan = std::move(found);
            made.push_back(i);
        } else {
            nodes.pop_back();
        }
    }
    if (!plan) return {};
    std::vector<ValueId> results(count, no_value);
    for (std::size_t i = 0; i < made.size(); ++i) results[made[i]] = plan->results[i];
    plan->results = std::move(results);
    plan->rest = rest_without(request, made);
    return plan;
}

/// The plan of an expression that reads numbers to which lists are reduced at other positions than its own:
/// the first of them and the numbers that are reduced at the same positions; the rest reads them as tensors.
/// Cost: linear in the graph for each such number.
std::optional<Plan> plan_listed_numbers(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const std::vector<bool>& may_be = may_be_whole(request);
    std::vector<NodeId> made;
    std::optional<Plan> plan;
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        const bool is_number = node.kind == NodeKind::reduce && !node.is_host_scalar &&
                               element_count(node.shape) == 1 && !may_be[at(id)];
        if (!is_number) continue;
        made.push_back(id);
        if (auto found = PartOf(request, made).bare().plan())
            plan = std::move(found);
        else
            made.pop_back();
    }
    if (!plan) return {};
    for (BodyResult& result : std::get<BodyStage>(plan->stages.back().action).results)
        result.form = ResultForm::tensor;
    ResidualGraph rest(graph, request.operands);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const auto found = std::ranges::find(made, id);
        if (found == made.end())
            rest.keep();
        else
            rest.take_dense(plan->results[at(found - made.begin())], graph[id].dtype);
    }
    plan->results.clear();
    rest.finish(*plan);
    return plan;
}

std::optional<Plan> plan_parts(const PlanRequest& request) {
    if (std::ranges::none_of(request.facts.formats(), &Format::is_list)) return {};
    if (auto plan = plan_listed_results(request)) return plan;
    return plan_listed_numbers(request);
}

}  // namespace

PlanRule listed_results_plan_rule() { return {.order = 6, .plan = plan_parts, .rules = {}}; }

}  // namespace frisket::planning
