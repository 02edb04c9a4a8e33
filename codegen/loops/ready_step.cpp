// SPDX-License-Identifier: MIT
#include "ready_step.hpp"

#include <memory>
#include <vector>

#include "../../ir/planner/executor/executor.hpp"
#include "../../ir/planner/rules/row_merge.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/support/made_once.hpp"
#include "row_loops.hpp"
#include "row_step.hpp"

namespace frisket::codegen {

namespace {

/// The plan of a step for a target, and its loops over rows if it has any.
struct PlanOfStep {
    PlanOfStep(const Graph& graph, const LoopProvider& from)
        : step(graph), source(from), ways(step_plan_for(graph, from)), rows(row_loops_of(ways, from)) {}
    Graph step;
    const LoopProvider& source;
    planning::StepPlan ways;  ///< by blocks of rows, or in parts
    std::vector<RowLoopsOfPlan> rows;
};

std::shared_ptr<const PlanOfStep> plan_of(const Graph& step, const LoopProvider& source) {
    constexpr std::size_t most = 64;
    auto& cache = runtime::made_once([] { return runtime::LruCache<PlanOfStep>(most); });
    return cache.get(
        hash(step), [&](const PlanOfStep& known) { return &known.source == &source && known.step == step; },
        [&] { return std::make_shared<PlanOfStep>(step, source); });
}

/// A call of a step, which refers to its plan.
class PlannedStep final : public kernel_calls::Ready {
public:
    PlannedStep(std::shared_ptr<const PlanOfStep> plan, std::unique_ptr<kernel_calls::Ready> call)
        : plan_(std::move(plan)), call_(std::move(call)) {}
    void run() override { call_->run(); }
    bool has_read() const override { return call_->has_read(); }

private:
    const std::shared_ptr<const PlanOfStep> plan_;
    const std::unique_ptr<kernel_calls::Ready> call_;
};

}  // namespace

std::unique_ptr<kernel_calls::Ready> ready_step(const Graph& step, std::span<const Argument> arguments,
                                                const LoopProvider& given, planning::PlanReport* report) {
    const Signature signature = signature_of(step);
    kernel_calls::check_call(signature, arguments);
    const LoopProvider& source = kernel_calls::where_tensors_live(given, signature, arguments);
    std::shared_ptr<const PlanOfStep> plan = plan_of(step, source);
    auto call = planning::Executor(CompiledBodies(source, plan->rows), report).ready(plan->ways, arguments);
    return std::make_unique<PlannedStep>(std::move(plan), std::move(call));
}

const LoopProvider& LoopProvider::on(const Device& device) const {
    kernel_calls::refuse_device("the call", device, this->device());
}

std::vector<Result> LoopProvider::evaluate(const Graph& graph, std::span<const Argument> arguments) const {
    const Signature signature = signature_of(graph);
    kernel_calls::check_call(signature, arguments);
    const LoopProvider& there = kernel_calls::where_tensors_live(*this, signature, arguments);
    return planning::Executor(CompiledBodies(there)).run(graph, arguments);
}

planning::StepPlan step_plan_for(const Graph& step, const LoopProvider& source) {
    planning::StepPlan plan = planning::plan_step(step);
    return source.device().is_cpu() ? plan : planning::with_merged_rows(step, std::move(plan));
}

std::vector<RowLoopsOfPlan> row_loops_of(const planning::StepPlan& plan, const LoopProvider& source) {
    std::vector<RowLoopsOfPlan> all;
    if (plan.row_blocks) all.push_back({&*plan.row_blocks, RowLoops::get(*plan.row_blocks, source)});
    for (const planning::StepPart& part : plan.steps)
        for (auto& one : row_loops_of(part.plan, source)) all.push_back(std::move(one));
    return all;
}

}  // namespace frisket::codegen
