// SPDX-License-Identifier: MIT
#include "ready_step.hpp"

#include <memory>
#include <vector>

#include "../../ir/planner/executor/executor.hpp"
#include "../../ir/planner/executor/prepared_plan.hpp"
#include "../../ir/planner/rules/row_merge.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/support/made_once.hpp"
#include "prepared_call.hpp"
#include "row_loops.hpp"
#include "row_step.hpp"

namespace frisket::codegen {

namespace {

/// The plan of a step for a target, and its loops over rows if it has any.
struct PlanOfStep {
    PlanOfStep(std::shared_ptr<const planning::PreparedGraph> prepared, const LoopProvider& from)
        : step(std::move(prepared)),
          source(from),
          tuning(from.tuning_number()),
          plan(step_plan_for(step->graph, from)),
          rows(row_loops_of(plan, from)) {}
    bool is_for(const std::shared_ptr<const planning::PreparedGraph>& other, const LoopProvider& from) const {
        return &source == &from && tuning == from.tuning_number() &&
               (step == other || step->graph == other->graph);
    }
    std::shared_ptr<const planning::PreparedGraph> step;
    const LoopProvider& source;
    const std::uint64_t tuning;
    planning::StepPlan plan;  ///< by blocks of rows, or in parts
    std::vector<std::shared_ptr<RowLoops>> rows;
    planning::KeptStages stages;
};

std::shared_ptr<PlanOfStep> plan_of(const std::shared_ptr<const planning::PreparedGraph>& step,
                                    const LoopProvider& source) {
    constexpr std::size_t most = 64;
    auto& cache = runtime::made_once([] { return runtime::LruCache<PlanOfStep>(most); });
    return cache.get(
        step->number, [&](const PlanOfStep& known) { return known.is_for(step, source); },
        [&] { return std::make_shared<PlanOfStep>(step, source); });
}

}  // namespace

kernel_calls::Ready ready_step(const std::shared_ptr<const planning::PreparedGraph>& step,
                               std::span<const Argument> arguments, const LoopProvider& given,
                               planning::RunEvents* events) {
    kernel_calls::check_call(step->signature, arguments);
    const LoopProvider& source = kernel_calls::where_tensors_live(given, step->signature, arguments);
    const std::shared_ptr<PlanOfStep> known = plan_of(step, source);
    const CompiledBodies bodies(source, known->rows);
    auto call = planning::Executor(bodies, events, &known->stages).ready(known->plan, arguments);
    const bool has_read = call.has_read;
    return {[known, call = std::move(call)] { call.run(); }, has_read};
}

kernel_calls::Ready ready_step(const Graph& step, std::span<const Argument> arguments,
                               const LoopProvider& source, planning::RunEvents* events) {
    return ready_step(std::make_shared<const planning::PreparedGraph>(step), arguments, source, events);
}

const LoopProvider& LoopProvider::on(const Device& device) const {
    kernel_calls::refuse_device("the call", device, this->device());
}

std::vector<Result> evaluate_by(const LoopProvider& source, const Graph& graph,
                                std::span<const Argument> arguments, const EvaluateUse& use) {
    const Signature signature = signature_of(graph);
    kernel_calls::check_call(signature, arguments);
    const LoopProvider& there = kernel_calls::where_tensors_live(source, signature, arguments);
    if (use.prepared != nullptr) {
        *use.prepared = std::make_shared<PreparedCall>(graph, arguments, there, use.loops);
        return (*use.prepared)->run(arguments, use.events, use.memory);
    }
    return planning::Executor(CompiledBodies(there, {}, use.loops), use.events)
        .run(graph, arguments, use.memory);
}

std::vector<Result> LoopProvider::evaluate(const Graph& graph, std::span<const Argument> arguments) const {
    return evaluate_by(*this, graph, arguments);
}

planning::StepPlan step_plan_for(const Graph& step, const LoopProvider& source) {
    planning::StepPlan plan = planning::plan_step(step);
    return source.device().is_cpu() ? plan : planning::with_merged_rows(step, std::move(plan));
}

std::vector<std::shared_ptr<RowLoops>> row_loops_of(const planning::StepPlan& plan,
                                                    const LoopProvider& source) {
    std::vector<std::shared_ptr<RowLoops>> all;
    if (plan.row_blocks) all.push_back(std::make_shared<RowLoops>(*plan.row_blocks, source));
    for (const planning::StepPart& part : plan.steps)
        for (auto& one : row_loops_of(part.plan, source)) all.push_back(std::move(one));
    return all;
}

}  // namespace frisket::codegen
