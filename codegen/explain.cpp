// SPDX-License-Identifier: MIT
#include "explain.hpp"

#include <algorithm>
#include <optional>

#include "../ir/at.hpp"
#include "../ir/planner/executor/executor.hpp"
#include "../ir/planner/report/planned_report.hpp"
#include "../ir/planner/report/stage_report.hpp"
#include "../runtime/kernel/binding.hpp"
#include "../runtime/kernel/kernel_module.hpp"
#include "../runtime/kernel/workload_class.hpp"
#include "../runtime/support/joined.hpp"
#include "../runtime/tensor/memory.hpp"
#include "jit/jit_loops.hpp"
#include "jit/run_step.hpp"
#include "loops/plan_text.hpp"
#include "loops/row_loops.hpp"
#include "observed_call.hpp"

namespace frisket {

using ir::at;

namespace {

/// The reason for the dispatcher's choice, from the first part of a call.
std::string reason_of(const Signature& signature, const codegen::ObservedCall& call) {
    if (call.strategies.empty()) return "there is no element to walk";
    if (!call.device.is_cpu())
        return "on device " + std::string(call.device.name()) +
               ", where masks are not looked at, and no byte is moved";
    switch (call.strategies[0]) {
        case Strategy::gather:
            if (call.queries[0].layout == Layout::coo) return "the mask is a list of positions";
            break;
        case Strategy::rows: return "the mask is a list of rows";
        case Strategy::strided: return "an argument has gaps between its elements, or is repeated";
        default: break;
    }
    const kernel_calls::DispatchQuery& query = call.queries.back();
    if (query.of_several_masks) return "updates have several masks";
    if (signature.domain < 0 || call.strategies[0] == Strategy::dense)
        return "no mask decides what is walked";
    if (query.counts.words == 0)
        return "of at most " + std::to_string(small_call) + " elements the mask is not looked at";
    const std::string parts =
        call.queries.size() > 1 ? "of " + std::to_string(call.queries.size()) + " parts the last: " : "";
    return parts + explained(query.counts);
}

/// A line for the blocks that large results and temporaries took; empty if they took none.
std::string pool_text(const ResultPoolUse& before, const ResultPoolUse& after) {
    const std::int64_t reused = after.blocks_reused - before.blocks_reused;
    const std::int64_t taken = after.blocks_made - before.blocks_made + reused;
    if (taken == 0) return "";
    return "memory: " + planning::count_text(taken, "block", "blocks") + " of the result pool, " +
           std::to_string(reused) + " of them kept from results before; it keeps at most " +
           std::to_string(after.limit) + " bytes\n";
}

/// One pass over a step whose updates are elementwise.
planning::StageReport in_place(const Graph& step, std::span<const Argument> arguments) {
    const Signature signature = signature_of(step);
    const codegen::ObservedCall call = codegen::observed_call(step, arguments);
    const Strategy strategy = call.strategies.empty() ? Strategy::dense : call.strategies[0];
    planning::StageReport stage{.rule = &planning::rules::in_place,
                                .space = runtime::joined(call.strategies,
                                                         [&](Strategy one) {
                                                             return std::string(name_of(one)) + ": " +
                                                                    codegen::walked(signature, one);
                                                         }),
                                .body = planning::body_text(step),
                                .why = reason_of(signature, call)};
    if (!call.device.is_cpu()) stage.kernels = call.kernels;
    if (call.strategies.empty()) stage.space = "no elements";
    for (int i = 0; i < static_cast<int>(signature.parameters.size()); ++i) {
        const Parameter& parameter = signature.parameters[at(i)];
        if (!is_tensor(parameter.kind)) {
            stage.reads.push_back({parameter.name, "a number"});
            continue;
        }
        const Argument& argument = arguments[at(i)];
        const std::string layout = argument.kind() == Argument::Kind::masked
                                       ? ", " + std::string(name_of(argument.masked().layout()))
                                       : "";
        const bool is_listed = codegen::reads_by_list(signature, strategy, i);
        stage.reads.push_back({parameter.name, (is_listed             ? "stored values"
                                                : signature.writes(i) ? "updated in place"
                                                                      : "at the walked elements") +
                                                   layout});
    }
    return stage;
}

/// A stage over the listed rows of the masked arguments.
planning::StageReport over_rows(const planning::Stage& part, const codegen::RowLoop& loop) {
    planning::StageReport stage{.rule = &planning::rules::row_blocks,
                                .space = "the listed rows, a block of them at a time",
                                .body = planning::body_text(part.graph),
                                .kernels = loop.code.kernels()};
    for (std::size_t i = 0; i < part.arguments.size(); ++i) {
        const planning::StageArgument& read = part.arguments[i];
        stage.reads.push_back(
            read.is_value ? planning::OperandReport{"value " + std::to_string(read.index), "of the block"}
                          : planning::OperandReport{part.graph.symbols[i].name, "at the rows"});
    }
    return stage;
}

/// Evaluates the values of a step, and observes its passes in place.
class ObservedBodies final : public planning::Backend {
public:
    ObservedBodies(const planning::StepPlan& plan, const codegen::LoopProvider& loops)
        : loops_(loops), rows_(codegen::row_loops_of(plan, loops_)), compiled_(loops_, rows_) {}

    void prepare(std::span<const planning::BodyCall> bodies) const override { compiled_.prepare(bodies); }
    std::vector<Result> evaluate(const Graph& body, std::span<const Argument> arguments,
                                 planning::StageReport* report,
                                 std::span<const planning::ResultMemory> memory,
                                 std::shared_ptr<const planning::KeptCall>* kept) const override {
        return compiled_.evaluate(body, arguments, report, memory, kept);
    }

    bool reads_lists() const override { return compiled_.reads_lists(); }
    std::unique_ptr<kernel_calls::Ready> ready(const Graph& step, std::span<const Argument> arguments,
                                               planning::StageReport* report) const override {
        *report = in_place(step, arguments);
        return nullptr;
    }
    std::unique_ptr<kernel_calls::Ready> ready_rows(const planning::RowPlan& plan,
                                                    std::span<const Argument> arguments,
                                                    planning::PlanReport* report) const override {
        auto call = compiled_.ready_rows(plan, arguments, nullptr);
        if (!call) return nullptr;
        const codegen::RowLoops& loops =
            *std::ranges::find(rows_, &plan, &codegen::RowLoopsOfPlan::plan)->loops;
        if (!plan.values.graph.results.empty())
            report->stages.push_back(over_rows(plan.values, loops.values()));
        for (std::size_t i = 0; i < plan.steps.size(); ++i)
            report->stages.push_back(over_rows(plan.steps[i].stage, loops.step(i)));
        return call;
    }

private:
    const codegen::LoopProvider& loops_;
    const std::vector<codegen::RowLoopsOfPlan> rows_;
    const codegen::CompiledBodies compiled_;
};

}  // namespace

namespace detail {

namespace {

/// Adds the stages of a call that does not run.
void report_planned(planning::PlanReport& plan, const Graph& graph, std::span<const Argument> arguments) {
    kernel_calls::check_call(signature_of(graph), arguments);
    const planning::PlanFacts facts(arguments);
    const std::vector<planning::ValueId> operands = planning::argument_values(arguments.size());
    const planning::PlanRequest request{graph, facts, operands,
                                        static_cast<planning::ValueId>(operands.size())};
    const bool reads_lists = std::ranges::none_of(arguments, kernel_calls::lives_on_device);
    planning::report_plan(plan, request,
                          planning::plan_whole_call(request, reads_lists, planning::Branches::enumerated));
}

std::string text_of(PlanForm text, const planning::PlanReport& plan) {
    return text == PlanForm::full ? planning::to_string(plan) : planning::summary_of(plan);
}

}  // namespace

std::string explained(PlanForm text, Run run, const EvalOptions& options,
                      const std::function<void(const ir::ExpressionContext::Evaluate&)>& evaluate) {
    planning::PlanReport plan{"eval"};
    if (run == Run::no) {
        evaluate([&](const Graph& graph, std::span<const Argument> arguments) {
            report_planned(plan, graph, arguments);
            return std::vector<Result>(graph.results.size());
        });
        return text_of(text, plan);
    }
    const ResultPoolUse before = result_pool_use();
    evaluate(evaluator(options, &plan));
    const std::string memory = text == PlanForm::full ? pool_text(before, result_pool_use()) : "";
    return text_of(text, plan) + memory;
}

std::string explained(PlanForm text, const Graph& step, std::span<const Argument> arguments) {
    const Signature signature = signature_of(step);
    kernel_calls::check_call(signature, arguments);
    planning::PlanReport plan{"step " + step.name};
    if (step.shaped) {
        const codegen::LoopProvider& loops =
            kernel_calls::where_tensors_live(codegen::jit_loops(check_present({})), signature, arguments);
        const planning::StepPlan ways = codegen::step_plan_for(step, loops);
        planning::Executor(ObservedBodies(ways, loops), &plan).ready(ways, arguments);
    } else {
        plan.stages.push_back(in_place(step, arguments));
    }
    return text_of(text, plan);
}

}  // namespace detail

}  // namespace frisket
