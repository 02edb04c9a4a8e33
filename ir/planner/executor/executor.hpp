// SPDX-License-Identifier: MIT
// Runs plans of expressions and steps, stage by stage.
#pragma once
#include "../planner.hpp"
#include "backend.hpp"

#include <memory>
#include <span>
#include <vector>

namespace frisket::planning {

class KeptStages;
class PreparedPlan;

/// Runs the plan of a graph, stage after stage: list kernels here, bodies by a backend.  What a plan leaves
/// is planned when its stages have run.
class Executor {
public:
    /// Adds to `events`, if there are any.  `kept`: takes the plans of a step's stages, or returns them
    /// again.  All outlive the executor.
    explicit Executor(const Backend& backend, RunEvents* events = nullptr, KeptStages* kept = nullptr)
        : backend_(backend), events_(events), kept_(kept) {}

    /// The results of an expression whose call has been checked.  `memory`: the results', or nothing; it is
    /// taken where one body makes them, and else results have other memory.
    /// Errors: the errors of the backend, and of the graph's checks.
    std::vector<Result> run(const Graph& graph, std::span<const Argument> arguments,
                            std::span<const ResultMemory> memory = {}) const;
    /// The results of the graph of a plan.
    std::vector<Result> run(PreparedPlan& plan, std::span<const Argument> arguments,
                            std::span<const ResultMemory> memory = {}) const;

    /// A step by blocks of rows if this call can, else in parts: values are computed now, in-place passes run
    /// later, none if the step is skipped.  Refers to the plan and to the referents of the arguments.
    /// Shape: the call has been checked.
    /// Errors: the errors of the backend, and of the graph's checks.
    kernel_calls::Ready ready(const StepPlan& plan, std::span<const Argument> arguments) const;

private:
    std::vector<Result> run(const Stage& stage, std::span<const Argument> arguments) const;
    std::vector<Result> values_of(const Stage& stage, std::span<const Argument> arguments) const;
    bool is_skipped(const Partition& parts, std::span<const Argument> arguments,
                    std::span<const Result> values) const;
    const Backend& backend_;
    RunEvents* events_;
    KeptStages* kept_;
};

}  // namespace frisket::planning
