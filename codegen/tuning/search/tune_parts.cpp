// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "../../../ir/planner/executor/executor.hpp"
#include "../../../ir/planner/planner.hpp"
#include "../../../runtime/kernel/binding.hpp"
#include "../../loops/compiled_bodies.hpp"
#include "../../loops/ready_step.hpp"
#include "../../loops/step_module.hpp"
#include "../records/workload.hpp"
#include "tune.hpp"

/// The search for a step with operations on whole tensors: for each part of its plan by itself.
namespace frisket {

namespace {

/// The text of a graph without the names that its plan assigned to symbols.
std::string nameless(Graph graph) {
    graph.name.clear();
    for (std::size_t i = 0; i < graph.symbols.size(); ++i) graph.symbols[i].name = "x" + std::to_string(i);
    return to_string(graph);
}

/// Makes a step ready, and shows its parts.  Nothing that it updates is written.
void visit_parts(const Graph& step, std::span<const Argument> arguments, const TargetName& target,
                 const std::function<void(const Graph&, std::span<const Argument>)>& visit) {
    const codegen::LoopProvider& source = just_in_time(target);
    const planning::StepPlan plan = codegen::step_plan_for(step, source);
    const std::vector<std::shared_ptr<codegen::RowLoops>> rows = codegen::row_loops_of(plan, source);
    std::optional<codegen::Workload> there;
    if (!source.device().is_cpu())
        arguments = there.emplace(signature_of(step), arguments, source.device()).arguments();
    const auto show = [&](const Graph& part, std::span<const Argument> given) {
        visit(part, given);
        return true;
    };
    const codegen::CompiledBodies bodies(source, rows, {.visit = show});
    static_cast<void>(planning::Executor(bodies).ready(plan, arguments));
}

/// The schedules among those given that a part can have; nothing, if it has none of them.
std::optional<std::vector<Schedule>> schedules_for(const Graph& part, std::span<const Argument> arguments,
                                                   const std::vector<Schedule>& given, bool on_device) {
    const auto of_step = [&] {
        const Signature signature = signature_of(part);
        const std::vector<Layout> layouts = codegen::kernel_layouts(signature, arguments);
        return on_device ? kernel_calls::strategies_on_device(signature, layouts)
                         : kernel_calls::legal_strategies(signature, layouts);
    };
    const std::vector<Strategy> legal = part.results.empty() ? of_step() : std::vector{Strategy::expression};
    std::vector<Schedule> own;
    std::ranges::copy_if(given, std::back_inserter(own), [&](const Schedule& schedule) {
        return std::ranges::find(legal, schedule.strategy) != legal.end();
    });
    if (own.empty() && !given.empty()) return {};
    return own;
}

}  // namespace

std::vector<TuneResult> tune_parts(const Graph& step, std::span<const Argument> arguments,
                                   const TuneOptions& given_options) {
    const Signature signature = signature_of(step);
    kernel_calls::check_call(signature, arguments);
    TuneOptions options = given_options;
    if (options.target.empty())
        if (const auto device = kernel_calls::device_of(signature, arguments); device && !device->is_cpu())
            options.target = device->name();
    std::vector<std::string> parts;
    visit_parts(step, arguments, {options.target}, [&](const Graph& part, std::span<const Argument>) {
        std::string text = nameless(part);
        if (std::ranges::find(parts, text) == parts.end()) parts.push_back(std::move(text));
    });
    TuneOptions own = options;
    own.others.clear();
    own.seconds /= static_cast<double>(std::max<std::size_t>(parts.size(), 1));
    std::vector<TuneResult> found;
    visit_parts(step, arguments, {options.target}, [&](const Graph& part, std::span<const Argument> given) {
        const auto known = std::ranges::find(parts, nameless(part));
        if (known == parts.end()) return;  // tuned before
        parts.erase(known);
        const auto schedules =
            schedules_for(part, given, options.schedules, find_target(TargetName{options.target}).gpu);
        if (!schedules || (options.is_stopped && options.is_stopped())) return;
        own.schedules = *schedules;
        found.push_back(tune(part, given, own));
    });
    return found;
}

}  // namespace frisket
