// SPDX-License-Identifier: MIT
// Functions that differ between the two modules: compiler.cpp defines them for _core, no_compiler.cpp for
// _core_aot.
#pragma once
#include "../../codegen/jit/jit.hpp"
#include "../../ir/expressions/expression_context.hpp"
#include "../../ir/planner/shaped_step.hpp"
#include "arguments.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace frisket::python {

/// Runs the graphs of expressions.
ir::ExpressionContext::Evaluate evaluator();
/// Source of the loops of optimizers.
const codegen::LoopProvider& optimizer_loops(const TargetName& target);

/// Runs a step on arguments in the order of its symbols.
using RunStep = std::function<void(std::span<const Argument>)>;
/// Makes a traced step run.  `describe` returns the graph for the shapes of a call.
/// Errors: ScheduleError, TargetError.
RunStep run_of(const Graph& step, const planning::ShapedGraph::Describe& describe, const TargetName& target,
               const std::string& schedule);
/// Makes a traced function.  `describe`: as above.
std::shared_ptr<planning::ShapedFunction> function_of(std::span<const StepSymbol> parameters,
                                                      planning::ShapedGraph::Describe describe,
                                                      const TargetName& target);

/// The plan of a call of a function or a step, as text.
std::string explained(const Graph& graph, std::span<const Argument> arguments);
/// Searches for the fastest schedules of a call and keeps them in the database.  Returns a list with a dict
/// for each part: the part's name, the schedule as text (None: the default stays), gain, seconds before and
/// after, noise, and the number of schedules that were tried.  Ctrl-C ends the search early.
nb::list tuned(const Graph& graph, std::span<const Argument> arguments, double seconds, std::uint64_t seed);

/// Adds the functions behind fk.doctor and fk.cache.
void add_tools(nb::module_& module);

/// Adds all classes and functions to a module.
void add_all(nb::module_& module);

}  // namespace frisket::python
