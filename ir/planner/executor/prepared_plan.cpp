// SPDX-License-Identifier: MIT
#include "prepared_plan.hpp"

#include <algorithm>

#include "../stage_values.hpp"
#include "body_parts.hpp"

namespace frisket::planning {

std::vector<Result> CallBody::evaluate(const Backend& backend, std::span<const Argument> arguments,
                                       StageReport* report, std::span<const ResultMemory> memory) {
    if (slot_ == nullptr) return evaluate_body(backend, *graph_, arguments, report, memory);
    const std::shared_ptr<const KeptCall> before = body_.call;
    std::vector<Result> results = evaluate_body(backend, *graph_, arguments, report, memory, &body_.call);
    if (body_.call != before) slot_->store(body_);
    return results;
}

PreparedPlan::PreparedPlan(const PlanRequest& request, std::optional<Plan> plan, ValueId arguments,
                           bool is_kept)
    : graph_(request.graph),
      operands_(request.operands),
      value_count_(request.value_count),
      argument_count_(arguments),
      plan_(std::move(plan)) {
    if (is_kept) slots_ = std::vector<KeptBodySlot>(whole_graph() + 1);
    if (!plan_) return;
    given_up_ = values_given_up(*plan_, operands_, arguments);
    if (!plan_->rest || plan_->rest->needs != RestOfPlan::Needs::nothing) return;
    RestOfPlan& rest = *plan_->rest;
    std::optional<Plan> next;
    if (!rest.plan.empty()) next = std::move(rest.plan.front());
    rest_ = std::make_unique<PreparedPlan>(
        PlanRequest{rest.graph, request.facts, rest.operands, plan_->value_count}, std::move(next), arguments,
        is_kept);
}

Graph PreparedPlan::take_body(std::size_t stage) {
    Graph& graph = std::get<BodyStage>(plan_->stages[stage].action).graph;
    return is_kept() ? graph : std::move(graph);
}

Graph PreparedPlan::take_rest() { return is_kept() ? plan_->rest->graph : std::move(plan_->rest->graph); }

std::shared_ptr<LateRest> PreparedPlan::late_rest(std::span<const Argument> arguments, std::int64_t positions,
                                                  bool reads_lists) {
    if (!is_kept()) return std::make_shared<LateRest>(*this, arguments, positions, reads_lists);
    std::shared_ptr<LateRest> last;
    {
        const std::lock_guard lock(mutex_);
        last = late_;
    }
    if (last != nullptr && last->is_for(arguments, positions)) return last;
    auto made = std::make_shared<LateRest>(*this, arguments, positions, reads_lists);
    const std::lock_guard lock(mutex_);
    late_ = made;
    return made;
}

LateRest::LateRest(PreparedPlan& before, std::span<const Argument> arguments, std::int64_t positions,
                   bool reads_lists)
    : positions_(positions), graph_(with_extent(before.take_rest(), positions)) {
    const PlanFacts facts(arguments);
    const PlanFacts noted = noting(facts, facts_);
    formats_.assign(facts.formats().begin(), facts.formats().end());
    const PlanRequest request{graph_, before.is_kept() ? noted : facts, before.plan()->rest->operands,
                              before.plan()->value_count};
    plan_.emplace(request, plan_whole_call(request, reads_lists), before.argument_count(), before.is_kept());
}

bool LateRest::is_for(std::span<const Argument> arguments, std::int64_t positions) const {
    return positions == positions_ && std::ranges::equal(formats_, arguments, {}, {}, format_of) &&
           hold(facts_, arguments);
}

}  // namespace frisket::planning
