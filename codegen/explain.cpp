// SPDX-License-Identifier: MIT
#include "explain.hpp"

#include <algorithm>
#include <optional>

#include "../ir/at.hpp"
#include "../ir/planner/interpreted_stages.hpp"
#include "../ir/planner/rules/partition.hpp"
#include "../ir/planner/stage_text.hpp"
#include "../runtime/dispatch/mask_statistics.hpp"
#include "../runtime/kernel/binding.hpp"
#include "../runtime/kernel/kernel_module.hpp"
#include "../runtime/layouts/layout_traits.hpp"
#include "jit/run_step.hpp"
#include "plan_text.hpp"

namespace frisket {

namespace {

/// The strategy of a call and the reason, as the dispatcher of a kernel without a schedule of its own
/// chooses.
struct ChosenStrategy {
    Strategy strategy;
    std::string why;
};

bool is_contiguous(const Argument& argument) {
    if (argument.kind() == Argument::Kind::tensor) return argument.tensor().is_contiguous();
    if (argument.kind() != Argument::Kind::masked) return true;
    const AnyMasked& masked = argument.masked();
    return masked.layout() != Layout::strided ||
           (masked.values().is_contiguous() && masked.mask().is_contiguous());
}

ChosenStrategy chosen(const Signature& signature, std::span<const Argument> arguments) {
    std::vector<Layout> layouts;
    for (const Argument& argument : arguments)
        if (argument.kind() == Argument::Kind::masked)
            layouts.push_back(kernel_layout(argument.masked().layout()));
    const auto wanted = strategies_for(signature, layouts);
    const bool is_flat = std::ranges::find(wanted, Strategy::skip) != wanted.end();
    if (std::ranges::find(wanted, Strategy::gather) != wanted.end() && !is_flat)
        return {Strategy::gather, "the mask is a list of positions"};
    if (std::ranges::find(wanted, Strategy::rows) != wanted.end())
        return {Strategy::rows, "the mask is a list of rows"};
    if (!std::ranges::all_of(arguments, is_contiguous))
        return {Strategy::strided, "an argument has gaps between its elements"};
    if (!is_flat) return {wanted.empty() ? Strategy::dense : wanted[0], "no mask decides what is walked"};
    const AnyMasked bits = arguments[at(signature.domain)].masked().to(Layout::bitmask);
    std::vector<WordRange> ranges;
    const MaskCounts counts =
        counts_of(static_cast<const std::uint64_t*>(bits.mask().data()), bits.mask().size(), ranges);
    return {choose(counts), explained(counts)};
}

/// One pass over a step whose updates are elementwise.
PlanStage in_place(const Graph& step, std::span<const Argument> arguments) {
    const Signature signature = signature_of(step);
    const ChosenStrategy choice = chosen(signature, arguments);
    PlanStage stage{.rule = Rule::in_place,
                    .space =
                        std::string(name_of(choice.strategy)) + ": " + walked(signature, choice.strategy),
                    .body = body_text(step),
                    .why = choice.why};
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
        const bool is_listed = reads_by_list(signature, choice.strategy, i);
        stage.reads.push_back({parameter.name, (is_listed             ? "stored values"
                                                : signature.writes(i) ? "updated in place"
                                                                      : "at the walked elements") +
                                                   layout});
    }
    return stage;
}

/// A stage over the listed rows of the masked arguments.
PlanStage over_rows(const Graph& step, const Stage& part) {
    PlanStage stage{.rule = Rule::row_blocks,
                    .space = "the listed rows, a block of them at a time",
                    .body = body_text(part.graph)};
    for (const PhaseArgument& read : part.arguments)
        stage.reads.push_back(read.is_value
                                  ? StageOperand{"value " + std::to_string(read.index), "of the block"}
                                  : StageOperand{step.symbols[at(read.index)].name, "at the rows"});
    return stage;
}

void add_rows(const Graph& step, Plan& plan) {
    const Partition parts = partition(step);
    if (!parts.values.graph.results.empty()) plan.stages.push_back(over_rows(step, parts.values));
    for (const Stage& part : parts.steps) plan.stages.push_back(over_rows(step, part));
}

/// Values first, from whole tensors, then a pass for each shape of targets.
void add_phases(const Graph& step, std::span<const Argument> arguments, Plan& plan) {
    const Partition parts = partition(step);
    std::vector<Result> values;
    if (const Graph& graph = parts.values.graph; !graph.results.empty() || !graph.checks.empty())
        values = evaluate_planned(graph, PhaseArguments(parts.values, arguments, {}, false), &plan);
    for (const Stage& part : parts.steps)
        plan.stages.push_back(
            in_place(part.graph, PhaseArguments(part, arguments, values, &part == &parts.steps.back())));
}

}  // namespace

namespace detail {

namespace {

std::string text_of(PlanForm text, const Plan& plan) {
    return text == PlanForm::full ? to_string(plan) : summary_of(plan);
}

}  // namespace

std::string explained(PlanForm text, const EvalOptions& options,
                      const std::function<void(const build::ExpressionContext::Evaluate&)>& evaluate) {
    Plan plan{"eval"};
    evaluate(evaluator(options, &plan));
    return text_of(text, plan);
}

std::string explained(PlanForm text, const Graph& step, std::span<const Argument> arguments) {
    check_call(signature_of(step), arguments);
    Plan plan{"step " + step.name};
    if (!step.shaped)
        plan.stages.push_back(in_place(step, arguments));
    else if (runs_by_rows(step, arguments))
        add_rows(step, plan);
    else
        add_phases(step, arguments, plan);
    return text_of(text, plan);
}

}  // namespace detail

}  // namespace frisket
