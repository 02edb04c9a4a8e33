// SPDX-License-Identifier: MIT
// Runs plans without a compiler, with bodies that the interpreter evaluates.
#pragma once
#include "backend.hpp"

#include <span>
#include <vector>

/// Plans with interpreted bodies: the results of compiled loops, without a compiler.
namespace frisket::planning {

/// Bodies by the interpreter.
class InterpretedBodies final : public Backend {
public:
    /// `are_owned`: results share no memory with arguments, which later stages may write.
    explicit InterpretedBodies(bool are_owned = false) : are_owned_(are_owned) {}
    std::vector<Result> evaluate(const Graph& body, std::span<const Argument> arguments, RunEvents* events,
                                 std::span<const ResultMemory> memory, KeptCall* kept) const override;
    kernel_calls::Ready ready(const Graph& step, std::span<const Argument> arguments,
                              RunEvents* events) const override;

private:
    const bool are_owned_;
};

/// The results of an expression, from the stored elements of lists where a rule allows it.  Adds to `events`,
/// if there are any.
/// Cost: some hundred nanoseconds an element that a stage walks.
/// Errors: the errors of a call, and of the graph's checks.
std::vector<Result> evaluate_planned(const Graph& graph, std::span<const Argument> arguments,
                                     RunEvents* events = nullptr);

/// Runs the stages of a step.
/// Shape: the graph has shapes.
/// Errors: the errors of a kernel's call, before anything is written.
void interpret_planned(const Graph& step, std::span<const Argument> arguments);

}  // namespace frisket::planning
