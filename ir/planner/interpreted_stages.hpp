// SPDX-License-Identifier: MIT
#pragma once
#include "../interpreter/interpret.hpp"
#include "plan.hpp"

#include <span>
#include <vector>

/// The planner's stages with interpreted bodies: what compiled loops do, without a compiler.
namespace frisket {

/// The results of an expression, from what lists store where a rule says so.  Adds the stages that were run
/// to `plan`, if there is one.
/// Cost: some hundred nanoseconds an element that a stage walks.
/// Errors: those of a call, and of the graph's checks.
std::vector<Result> evaluate_planned(const Graph& graph, std::span<const Argument> arguments,
                                     Plan* plan = nullptr);

/// Runs the stages of a step.
/// Shape: the graph has shapes.
/// Errors: those of a kernel's call, before anything is written.
void interpret_planned(const Graph& step, std::span<const Argument> arguments);

}  // namespace frisket
