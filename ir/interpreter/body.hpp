// SPDX-License-Identifier: MIT
// Interprets bodies of plans: expressions and steps.
#pragma once
#include "interpret.hpp"

/// Stages of a plan with interpreted bodies: tensors of any size, since a plan has made them small.
namespace frisket::ir {

/// Results of an expression.  Shape: the call has been checked.
std::vector<Result> evaluate_body(const Graph& graph, std::span<const Argument> arguments);
/// Runs a step.  Errors: as of a kernel's call, before anything is written.
void interpret_body(const Graph& graph, std::span<const Argument> arguments);

}  // namespace frisket::ir
