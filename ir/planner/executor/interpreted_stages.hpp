// SPDX-License-Identifier: MIT
#pragma once
#include "backend.hpp"

#include <span>
#include <vector>

/// Plans with interpreted bodies: what compiled loops do, without a compiler.
namespace frisket::planning {

/// Bodies by the interpreter.
class InterpretedBodies : public Backend {
public:
    std::vector<Result> evaluate(const Graph& body, std::span<const Argument> arguments, RunEvents* events,
                                 std::span<const ResultMemory> memory,
                                 std::shared_ptr<const KeptCall>* kept) const override;
    kernel_calls::Ready ready(const Graph& step, std::span<const Argument> arguments,
                              RunEvents* events) const override;
};

/// The results of an expression, from what lists store where a rule says so.  Adds to `events`, if there are
/// any.
/// Cost: some hundred nanoseconds an element that a stage walks.
/// Errors: those of a call, and of the graph's checks.
std::vector<Result> evaluate_planned(const Graph& graph, std::span<const Argument> arguments,
                                     RunEvents* events = nullptr);

/// Runs the stages of a step.
/// Shape: the graph has shapes.
/// Errors: those of a kernel's call, before anything is written.
void interpret_planned(const Graph& step, std::span<const Argument> arguments);

}  // namespace frisket::planning
