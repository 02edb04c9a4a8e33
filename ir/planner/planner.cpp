// SPDX-License-Identifier: MIT
#include "planner.hpp"

#include "../../runtime/support/made_once.hpp"
#include "../at.hpp"
#include "../passes/full_masks.hpp"
#include "../rewrite.hpp"
#include "list_form.hpp"
#include "plan_rules.hpp"
#include "rules/listed_gradients.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace frisket::planning {

namespace {

const std::vector<PlanRule>& plan_rules() {
    return runtime::made_once([] {
        std::vector<PlanRule> found{FRISKET_PLAN_RULES};
        std::ranges::sort(found, {}, &PlanRule::order);
        return found;
    });
}

}  // namespace

std::vector<ValueId> argument_values(std::size_t count) {
    std::vector<ValueId> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

namespace {

std::optional<Plan> plan_by_rules(const PlanRequest& request, bool reads_lists) {
    const NodeKinds kinds(request.graph);
    for (const PlanRule& rule : plan_rules()) {
        if (!kinds.have_any_of(rule.kinds) || (!reads_lists && !rule.on_devices)) continue;
        if (auto plan = rule.plan(request)) return plan;
    }
    return {};
}

}  // namespace

std::optional<Plan> plan_call(const PlanRequest& request, bool reads_lists) {
    if (!reads_lists || has_empty_tensors(request.graph) ||
        std::ranges::none_of(request.facts.formats(), &Format::is_list))
        return plan_by_rules(request, reads_lists);
    std::optional<Graph> form = list_form(request);
    const Graph& graph = form ? *form : request.graph;
    std::optional<Plan> plan = plan_by_rules(
        {graph, request.facts, request.operands, request.value_count, request.argument_count}, reads_lists);
    if (!plan) return plan;
    // Nodes that products no longer read in their terms have another form, and so have sampled ones.
    if (plan->rest) plan->rest->is_in_form = !plan->sampled && std::ranges::none_of(graph.nodes, is_product);
    plan->form = std::move(form);
    return plan;
}

RestOfPlan rest_of(Graph graph, std::span<const ValueId> operands) {
    ir::prune(graph);
    RestOfPlan rest{.graph = std::move(graph), .operands = {}};
    for (const int before : ir::prune_symbols(rest.graph)) rest.operands.push_back(operands[ir::at(before)]);
    return rest;
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

std::vector<const RuleInfo*> rule_table() {
    std::vector<const RuleInfo*> all{&rules::whole};
    for (const PlanRule& rule : plan_rules()) all.insert(all.end(), rule.rules.begin(), rule.rules.end());
    all.insert(all.end(), {&rules::in_place, &rules::row_blocks});
    return all;
}

}  // namespace frisket::planning
