// SPDX-License-Identifier: MIT
#include "planner.hpp"

#include "rules/coiterate.hpp"
#include "rules/sampled_product.hpp"
#include "rules/sparse_prologue.hpp"

namespace frisket::plan {

namespace {

/// A function that plans, and the rules by which it does.
struct Planning {
    std::optional<Plan> (*plan)(const PlanRequest&);
    std::vector<const Rule*> rules;
};

/// In the order in which they are asked.
const std::vector<Planning>& plannings() {
    static const std::vector<Planning> all = {
        {coiterate, {&rules::same_pattern, &rules::union_of}},
        {sparse_prologue,
         {&rules::segmented_reduce, &rules::permutation, &rules::spmm, &rules::dense_operand}},
        {sampled_product, {&rules::sampled_product, &rules::sampled_whole}},
    };
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
