// SPDX-License-Identifier: MIT
// Functions of the module that has the compiler: traced functions and steps are compiled just in time.
#include "compiler.hpp"

#include "../../codegen/eval.hpp"
#include "../../codegen/explain.hpp"
#include "../../codegen/jit/jit_loops.hpp"
#include "../../codegen/tuning/search/tune.hpp"

#include "kernel_libraries.hpp"
#include "rule_loops.hpp"

#include <vector>

namespace frisket::python {

ir::ExpressionContext::Evaluate evaluator() { return detail::evaluator({}); }

const codegen::LoopProvider& optimizer_loops(const TargetName& target) { return just_in_time(target); }

RunStep run_of(const Graph& step, const planning::ShapedGraph::Describe& describe, const TargetName& target,
               const std::string& schedule) {
    if (step.shaped) {
        if (!schedule.empty())
            throw ScheduleError(step.name +
                                ": a schedule is of elementwise operations, and this step has others: "
                                "leave it out, and write fk.tune(step, ...)");
        return [shaped = shaped_step(describe, target)](std::span<const Argument> arguments) {
            shaped->call(arguments);
        };
    }
    const CompiledKernel kernel =
        schedule.empty() ? jit(step, target) : jit(step, frisket::schedule(schedule), target);
    return [kernel](std::span<const Argument> arguments) { kernel.call(arguments); };
}

std::shared_ptr<planning::ShapedFunction> function_of(std::span<const StepSymbol> parameters,
                                                      planning::ShapedGraph::Describe describe,
                                                      const TargetName& target) {
    return shaped_function(parameters, std::move(describe), target);
}

std::string explained(const Graph& graph, std::span<const Argument> arguments) {
    if (graph.results.empty()) return detail::explained(detail::PlanForm::full, graph, arguments);
    return detail::explained(detail::PlanForm::full, Run::no, {},
                             [&](const ir::ExpressionContext::Evaluate& evaluate) {
                                 static_cast<void>(evaluate(graph, arguments));
                             });
}

namespace {

nb::dict as_dict(const TuneResult& result) {
    nb::dict made;
    made["name"] = result.step;
    made["schedule"] = result.schedule ? nb::cast(to_string(*result.schedule)) : nb::none();
    made["gain"] = result.gain;
    made["default_s"] = result.default_s;
    made["best_s"] = result.best_s;
    made["noise"] = result.noise;
    made["tried"] = result.candidates.size();
    made["spent_s"] = result.spent_s;
    return made;
}

std::vector<TuneResult> search(const Graph& graph, std::span<const Argument> arguments,
                               const TuneOptions& options) {
    if (graph.results.empty() && graph.shaped) return tune_parts(graph, arguments, options);
    std::vector found{frisket::tune(graph, arguments, options)};
    if (graph.results.empty()) keep(found.front(), options.database);
    return found;
}

}  // namespace

nb::list tuned(const Graph& graph, std::span<const Argument> arguments, double seconds, std::uint64_t seed) {
    bool is_interrupted = false;
    TuneOptions options{.seconds = seconds, .seed = seed};
    options.is_stopped = [&] {
        const nb::gil_scoped_acquire acquired;
        is_interrupted = is_interrupted || PyErr_CheckSignals() != 0;
        PyErr_Clear();
        return is_interrupted;
    };
    const std::vector<TuneResult> found =
        released_if(true, [&] { return search(graph, arguments, options); });
    nb::list made;
    for (const TuneResult& result : found) made.append(as_dict(result));
    return made;
}

}  // namespace frisket::python

NB_MODULE(_core, module) {
    frisket::python::add_all(module);
    frisket::python::add_kernel_libraries(module);
    frisket::codegen::set_ready_loops(&frisket::python::rule_loops);
}
