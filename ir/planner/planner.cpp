// SPDX-License-Identifier: MIT
#include "planner.hpp"

#include "plannings.hpp"

#include <algorithm>

namespace frisket::plan {

namespace {

const std::vector<Planning>& plannings() {
    static const std::vector<Planning> all = [] {
        std::vector<Planning> found{FRISKET_PLANNINGS};
        std::ranges::sort(found, {}, &Planning::order);
        return found;
    }();
    return all;
}

}  // namespace

std::optional<Plan> plan_call(const PlanRequest& request) {
    for (const Planning& planning : plannings())
        if (auto plan = planning.plan(request)) return plan;
    return {};
}

StepPlan plan_step(const Graph& step) { return {partition(step), plan_rows(step)}; }

std::vector<const Rule*> rule_table() {
    std::vector<const Rule*> all{&rules::whole};
    for (const Planning& planning : plannings())
        all.insert(all.end(), planning.rules.begin(), planning.rules.end());
    all.insert(all.end(), {&rules::in_place, &rules::row_blocks});
    return all;
}

}  // namespace frisket::plan
