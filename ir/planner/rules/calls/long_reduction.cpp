// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../passes/long_reductions.hpp"

#include <utility>

namespace frisket::planning {

namespace {

/// The plan of an expression that reduces over an extent which loops cannot count, where no list is reduced
/// only at its positions: the rest reduces parts of it, and joins them.
std::optional<Plan> plan_long_reductions(const PlanRequest& request) {
    Graph graph = request.graph;
    if (!ir::reduce_in_parts(graph)) return {};
    Plan plan{.value_count = request.value_count};
    plan.rest = rest_of(std::move(graph), request.operands);
    return plan;
}

}  // namespace

PlanRule long_reduction_plan_rule() {
    return {.order = 7,
            .plan = plan_long_reductions,
            .rules = {},
            .on_devices = true,
            .kinds = {NodeKind::reduce}};
}

}  // namespace frisket::planning
