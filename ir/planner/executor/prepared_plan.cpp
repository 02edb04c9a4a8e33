// SPDX-License-Identifier: MIT
#include "prepared_plan.hpp"

#include <algorithm>

#include "../stage_values.hpp"
#include "evaluate_body.hpp"

namespace frisket::planning {

std::vector<Result> CallBody::evaluate(const Backend& backend, std::span<const Argument> arguments,
                                       RunEvents* events, std::span<const ResultMemory> memory) {
    if (slot_ == nullptr) return evaluate_body(backend, *graph_, arguments, events, memory);
    const KeptCall before = body_.call;
    std::vector<Result> results = evaluate_body(backend, *graph_, arguments, events, memory, &body_.call);
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
        PlanRequest{rest.graph, request.facts, rest.operands, plan_->value_count, arguments}, std::move(next),
        arguments, is_kept);
}

Graph PreparedPlan::take_body(std::size_t stage) {
    Graph& graph = std::get<BodyStage>(plan_->stages[stage].action).graph;
    return is_kept() ? graph : std::move(graph);
}

Graph PreparedPlan::take_rest() { return is_kept() ? plan_->rest->graph : std::move(plan_->rest->graph); }

std::shared_ptr<KeptPlan> PreparedPlan::late_rest(std::span<const Argument> arguments, std::int64_t positions,
                                                  PlanScope scope) {
    std::shared_ptr<KeptPlan> last;
    if (is_kept()) {
        const std::lock_guard lock(mutex_);
        if (late_positions_ == positions) last = late_;
    }
    if (last != nullptr && last->is_for(arguments)) return last;
    auto made = std::make_shared<KeptPlan>(with_extent(take_rest(), positions),
                                           KeptPlan::Call{.operands = plan_->rest->operands,
                                                          .value_count = plan_->value_count,
                                                          .argument_count = argument_count_,
                                                          .is_in_form = plan_->rest->is_in_form,
                                                          .made = plan_->rest->made,
                                                          .scope = scope,
                                                          .is_kept = is_kept()},
                                           arguments);
    if (!is_kept()) return made;
    const std::lock_guard lock(mutex_);
    late_ = made;
    late_positions_ = positions;
    return made;
}

KeptPlan::KeptPlan(Graph graph, Call call, std::span<const Argument> arguments)
    : graph_(std::move(graph)), operands_(std::move(call.operands)) {
    const PlanFacts facts(arguments);
    formats_.assign(facts.formats().begin(), facts.formats().end());
    const PlanFacts noted = noting(facts, facts_);
    const PlanRequest request{graph_,          noted,      operands_, call.value_count, call.argument_count,
                              call.is_in_form, &call.made, call.scope};
    plan_.emplace(request, plan_whole_call(request), call.argument_count, call.is_kept);
}

KeptPlan::KeptPlan(Graph graph, std::span<const Argument> arguments, PlanScope scope)
    : KeptPlan(std::move(graph),
               {.operands = argument_values(arguments.size()),
                .value_count = static_cast<ValueId>(arguments.size()),
                .argument_count = static_cast<ValueId>(arguments.size()),
                .scope = scope},
               arguments) {}

bool KeptPlan::is_for(std::span<const Argument> arguments) const {
    return std::ranges::equal(formats_, arguments, {}, {}, format_of) && hold(facts_, arguments);
}

std::shared_ptr<KeptPlan> KeptStages::plan_of(const Stage& stage, std::span<const Argument> arguments,
                                              PlanScope scope) {
    std::shared_ptr<KeptPlan> last;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = plans_.find(&stage); found != plans_.end()) last = found->second;
    }
    if (last != nullptr && last->is_for(arguments)) return last;
    auto made = std::make_shared<KeptPlan>(stage.graph, arguments, scope);
    const std::lock_guard lock(mutex_);
    return plans_[&stage] = std::move(made);
}

}  // namespace frisket::planning
