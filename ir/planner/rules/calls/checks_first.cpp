// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../rewrite.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace frisket::planning {

namespace {

const RuleInfo checks_first{
    .name = "checks_first",
    .legal = "checks look at whole numbers that the call gives, as those of indices do, and products "
             "follow",
    .pros = "what follows has no checks, so that it can have stages, and loops over rows",
    .cons = "loops of their own",
};

/// True if the checks read only tensors of integers and bools, and no products.
bool are_of_whole_numbers(const Graph& graph) {
    Graph checks = graph;
    checks.results.clear();
    checks.equal_masks.clear();
    ir::prune(checks);
    return std::ranges::all_of(checks.nodes, [](const Node& node) {
        return node.is_host_scalar || (!info_of(node.dtype).is_float && !is_product(node));
    });
}

/// The plan of an expression with products that reads by index: its checks run before the rest, which has
/// none.  Nothing if checks depend on computed values.
/// Cost: linear in the graph.
std::optional<Plan> plan_checks_first(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const auto is_large = [&](const Node& node) { return is_large_product(graph, node); };
    if (graph.checks.empty() || graph.results.empty() || std::ranges::none_of(graph.nodes, is_large) ||
        !are_of_whole_numbers(graph))
        return {};
    PlanBuilder to(request);
    Graph checks = graph, results = graph;
    checks.results.clear();
    checks.equal_masks.clear();
    results.checks.clear();
    RestOfPlan checked = rest_of(std::move(checks), request.operands);
    BodyStage body{.graph = std::move(checked.graph)};
    for (const ValueId value : checked.operands) body.operands.push_back({.value = value});
    to.add(checks_first, std::move(body));
    to.plan().rest = rest_of(std::move(results), request.operands);
    return to.finish();
}

}  // namespace

PlanRule checks_first_plan_rule() {
    return {.order = 8, .plan = plan_checks_first, .rules = {&checks_first}, .kinds = {NodeKind::reduce}};
}

}  // namespace frisket::planning
