// SPDX-License-Identifier: MIT
#include "explain.hpp"

#include <algorithm>

#include "../ir/planner/executor/executor.hpp"
#include "../ir/planner/report/report_writer.hpp"
#include "../runtime/kernel/binding.hpp"
#include "../runtime/kernel/kernel_module.hpp"
#include "../runtime/tensor/memory.hpp"
#include "jit/jit_loops.hpp"
#include "jit/run_step.hpp"
#include "observed_call.hpp"

namespace frisket {

namespace {

/// A line for the blocks that large results and temporaries took; empty if they took none.
std::string pool_text(const ResultPoolUse& before, const ResultPoolUse& after) {
    const std::int64_t reused = after.blocks_reused - before.blocks_reused;
    const std::int64_t taken = after.blocks_made - before.blocks_made + reused;
    if (taken == 0) return "";
    return "memory: " + planning::count_text(taken, "block", "blocks") + " of the result pool, " +
           std::to_string(reused) + " of them kept from results before; it keeps at most " +
           std::to_string(after.limit) + " bytes\n";
}

}  // namespace

namespace detail {

namespace {

/// The plan of a call that does not run.
planning::PlanEvent planned(const Graph& graph, std::span<const Argument> arguments) {
    kernel_calls::check_call(signature_of(graph), arguments);
    const planning::PlanFacts facts(arguments);
    const std::vector<planning::ValueId> operands = planning::argument_values(arguments.size());
    planning::PlanRequest request{graph, facts, operands, static_cast<planning::ValueId>(operands.size())};
    if (std::ranges::any_of(arguments, kernel_calls::lives_on_device))
        request.scope = planning::PlanScope::device;
    auto plan = planning::plan_whole_call(request, planning::Branches::enumerated);
    return {graph, std::move(plan), planning::formats_of(arguments), false};
}

std::string text_of(PlanForm text, const planning::PlanReport& plan) {
    return text == PlanForm::full ? planning::to_string(plan) : planning::summary_of(plan);
}

}  // namespace

std::string explained(PlanForm text, Run run, const EvalOptions& options,
                      const std::function<void(const ir::ExpressionContext::Evaluate&)>& evaluate) {
    planning::RunEvents events;
    const ResultPoolUse before = result_pool_use();
    if (run == Run::yes)
        evaluate(evaluator(options, &events));
    else
        evaluate([&](const Graph& graph, std::span<const Argument> arguments) {
            events.emplace_back(planned(graph, arguments));
            return std::vector<Result>(graph.results.size());
        });
    const bool has_memory = run == Run::yes && text == PlanForm::full;
    return text_of(text, planning::report_of("eval", events)) +
           (has_memory ? pool_text(before, result_pool_use()) : "");
}

std::string explained(PlanForm text, const Graph& step, std::span<const Argument> arguments) {
    const Signature signature = signature_of(step);
    kernel_calls::check_call(signature, arguments);
    planning::RunEvents events;
    if (step.shaped) {
        const codegen::LoopProvider& loops =
            kernel_calls::where_tensors_live(codegen::jit_loops(check_present({})), signature, arguments);
        const planning::StepPlan plan = codegen::step_plan_for(step, loops);
        const auto rows = codegen::row_loops_of(plan, loops);
        // Values are evaluated, and in-place passes observed.
        const auto observe = [&](const Graph& part, std::span<const Argument> given) {
            if (part.results.empty()) events.emplace_back(codegen::observed_call(part, given));
            return !part.results.empty();
        };
        const codegen::CompiledBodies bodies(loops, rows, {.visit = observe});
        planning::Executor(bodies, &events).ready(plan, arguments);
    } else {
        events.emplace_back(codegen::observed_call(step, arguments));
    }
    return text_of(text, planning::report_of("step " + step.name, events));
}

}  // namespace detail

}  // namespace frisket
