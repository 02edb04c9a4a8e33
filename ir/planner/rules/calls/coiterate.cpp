// SPDX-License-Identifier: MIT
#include "../coiterate.hpp"

#include "../../../../runtime/list_kernels/coordinate_set.hpp"
#include "../../../at.hpp"
#include "../../body_stage.hpp"
#include "../../list_analysis.hpp"
#include "../../list_spaces.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

const RuleInfo rules::same_pattern{
    .name = "same_pattern",
    .legal = "the masked arguments are lists of one layout with the same positions, and no result "
             "needs another position",
    .pros = "stored values are read and written in their order, and the result shares the list",
    .cons = "the lists are compared",
};

const RuleInfo rules::intersection_of{
    .name = "intersection_of",
    .legal = "the masked arguments of the largest shape are lists, results are specified where all of them "
             "are and nowhere else, and nothing puts positions together",
    .pros = "time and memory of the values are those of the positions that all lists have",
    .cons = "the lists are merged, and each value is gathered",
};

const RuleInfo rules::union_of{
    .name = "union_of",
    .legal = "the masked arguments of the largest shape are lists, and results are 0 or unspecified at "
             "positions of none",
    .pros = "time and memory are those of the listed positions",
    .cons = "the lists are merged, and each argument is located in the union",
};

namespace {

/// True if results and their operands can be computed from only the elements at the positions; if `is_alike`,
/// so that masked results are specified where the arguments are.
bool is_enough(const PlanRequest& request, const IterationSpaceAnalysis& nodes, bool is_alike) {
    const Graph& graph = request.graph;
    const auto is_good = [&](NodeId id) {
        const NodeId mask = graph[id].mask;
        if (!nodes.is_computable(id) || (mask != no_node && !nodes.is_computable(mask))) return false;
        if (!nodes.is_listed(id)) return mask == no_node || TensorSizes(request).holds(graph[id].shape);
        return mask != no_node && (is_alike ? nodes.equals_mask(mask) : nodes.is_zero_outside(mask));
    };
    return std::ranges::all_of(graph.results, is_good);
}

/// True if the checks can be computed at the positions.
bool has_checks_there(const Graph& graph, const IterationSpaceAnalysis& nodes) {
    return std::ranges::all_of(graph.checks,
                               [&](const Check& check) { return nodes.is_computable(check.bad); });
}

/// A space of one list, and of the mask that its values have in the graph, where the list stores them all.
IterationSpace space_of_list(const Graph& graph, const IterationSpace& space, int list) {
    IterationSpace one{.shape = space.shape, .has_mask = std::vector<bool>(space.has_mask.size())};
    one.has_mask[ir::at(list)] = true;
    for (const Node& node : graph.nodes) {
        if (node.kind != NodeKind::symbol || node.symbol != list || node.mask == no_node) continue;
        const Node& mask = graph[node.mask];
        if (mask.kind == NodeKind::mask_of && space.has_mask[ir::at(mask.symbol)])
            one.has_mask[ir::at(mask.symbol)] = true;
    }
    return one;
}

/// True if results need only positions that all lists have: each is unspecified where any list is.
bool is_in_all_lists(const Graph& graph, const IterationSpace& space) {
    const IterationSpaceAnalysis nodes(graph, space);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id)
        if (nodes.mixes_coordinates(id)) return false;
    const auto is_in = [&](const IterationSpaceAnalysis& in_list, NodeId id) {
        const NodeId mask = graph[id].mask;
        return nodes.is_listed(id) && mask != no_node && in_list.is_zero_outside(mask);
    };
    int lists = 0;
    for (int i = 0; i < std::ssize(space.has_mask); ++i) {
        if (!space.has_mask[ir::at(i)]) continue;
        const IterationSpaceAnalysis in_list(graph, space_of_list(graph, space, i));
        if (!std::ranges::all_of(graph.results, [&](NodeId id) { return is_in(in_list, id); })) return false;
        ++lists;
    }
    return lists > 1 && graph.checks.empty();
}

std::optional<Plan> plan_at(const PlanRequest& request, const IterationSpaceAnalysis& nodes,
                            const RuleInfo* rule) {
    const Graph& graph = request.graph;
    const IterationSpace& space = nodes.space();
    const bool is_alike = rule == &rules::same_pattern;
    if (!is_enough(request, nodes, is_alike)) return {};
    const bool are_checks_apart = !has_checks_there(graph, nodes);
    if (are_checks_apart && graph.results.empty()) return {};
    MergeKind kind = is_alike ? MergeKind::same_pattern : MergeKind::union_of;
    if (!is_alike && is_in_all_lists(graph, space)) {
        kind = MergeKind::intersection_of;
        rule = &rules::intersection_of;
    }
    PlanBuilder to(request);
    const ValueId coordinates = to.new_value();
    to.add(*rule, CoordinatesStage{.space = space,
                                   .kind = kind,
                                   .operands = {request.operands.begin(), request.operands.end()},
                                   .made = coordinates});
    Graph at_places = graph;
    if (are_checks_apart) at_places.checks.clear();
    BodyStage body = body_at(std::move(at_places), nodes, coordinates, request.operands);
    for (const NodeId id : graph.results) {
        BodyResult result{.made = to.new_value()};
        if (nodes.is_listed(id)) {
            result.form = ResultForm::placed;
            result.shape = graph[id].shape;
        }
        to.plan().results.push_back(result.made);
        body.results.push_back(std::move(result));
    }
    to.add(*rule, std::move(body));
    if (are_checks_apart) {
        Graph checks = graph;
        checks.results.clear();
        checks.equal_masks.clear();
        to.plan().rest = rest_of(std::move(checks), request.operands);
    }
    return to.finish();
}

}  // namespace

std::optional<Plan> plan_coiterate(const PlanRequest& request) {
    for (const IterationSpace& space : spaces_of_lists(request)) {
        const IterationSpaceAnalysis& nodes = lists_over(request, space).nodes();
        if (const auto same = space_of_same_pattern(space, request)) {
            std::optional<IterationSpaceAnalysis> of_rows;
            if (*same != space) of_rows.emplace(request.graph, *same);
            if (auto plan = plan_at(request, of_rows ? *of_rows : nodes, &rules::same_pattern)) return plan;
        }
        if (auto plan = plan_at(request, nodes, &rules::union_of)) return plan;
    }
    return {};
}

PlanRule coiterate_plan_rule() {
    return {.order = 3,
            .plan = plan_coiterate,
            .rules = {&rules::same_pattern, &rules::intersection_of, &rules::union_of}};
}

}  // namespace frisket::planning
