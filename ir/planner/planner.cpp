// SPDX-License-Identifier: MIT
#include "planner.hpp"

#include "../../runtime/support/made_once.hpp"
#include "../passes/full_masks.hpp"
#include "plannings.hpp"
#include "rules/listed_gradients.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

namespace {

const std::vector<Planning>& plannings() {
    return runtime::made_once([] {
        std::vector<Planning> found{FRISKET_PLANNINGS};
        std::ranges::sort(found, {}, &Planning::order);
        return found;
    });
}

}  // namespace

std::optional<Plan> plan_call(const PlanRequest& request, bool reads_lists) {
    for (const Planning& planning : plannings()) {
        if (!reads_lists && !planning.on_devices) continue;
        if (auto plan = planning.plan(request)) return plan;
    }
    return {};
}

StepPlan plan_step(const Graph& given) {
    const Graph step = ir::without_full_masks(given);
    std::optional<GradientParts> split = split_gradients(step);
    StepPlan plan;
    if (!split) {
        plan.parts = partition(step);
        plan.row_blocks = plan_rows(step);
        return plan;
    }
    plan.gradients = std::move(split->first);
    plan.parts.skips = std::move(split->skips);
    for (Stage& stage : split->steps) {
        StepPlan own = plan_step(stage.graph);
        plan.steps.push_back({std::move(stage), std::move(own)});
    }
    return plan;
}

std::vector<const Rule*> rule_table() {
    std::vector<const Rule*> all{&rules::whole};
    for (const Planning& planning : plannings())
        all.insert(all.end(), planning.rules.begin(), planning.rules.end());
    all.insert(all.end(), {&rules::in_place, &rules::row_blocks});
    return all;
}

}  // namespace frisket::planning
