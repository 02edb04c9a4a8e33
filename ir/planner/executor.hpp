// SPDX-License-Identifier: MIT
#pragma once
#include "backend.hpp"
#include "rules/partition.hpp"

#include <memory>
#include <span>
#include <vector>

namespace frisket {

/// Runs the plan of a graph, stage after stage: list kernels here, bodies by a backend.  What a plan leaves
/// is planned when its stages have run.
class Executor {
public:
    /// Writes the stages to `report`, if there is one.  Both outlive the executor.
    explicit Executor(const Backend& backend, PlanReport* report = nullptr)
        : backend_(backend), report_(report) {}

    /// The results of an expression whose call has been checked.
    /// Errors: those of the backend, and of the graph's checks.
    std::vector<Result> run(const Graph& graph, std::span<const Argument> arguments) const;

    /// A step in the parts that partition() makes: its values are computed now, its passes in place later.
    /// Refers to the parts and to what the arguments refer to.
    /// Shape: the call has been checked.
    /// Errors: those of the backend, and of the graph's checks.
    std::unique_ptr<Ready> ready(const Partition& parts, std::span<const Argument> arguments) const;

private:
    const Backend& backend_;
    PlanReport* report_;
};

}  // namespace frisket
