// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "../../ir/planner/executor/prepared_plan.hpp"
#include "bound_call.hpp"
#include "compiled_bodies.hpp"

namespace frisket::codegen {

/// A graph with the plan of its calls and the loops of their bodies: bound once, and run again with arguments
/// of the same layouts and shapes, whose lists may store other elements.
/// Threads: any number may run it at once.
class PreparedCall {
public:
    /// Plans the call.  Refers to the source.
    PreparedCall(const Graph& graph, std::span<const Argument> arguments, const LoopProvider& source,
                 const LoopChoice& loops);
    PreparedCall(const PreparedCall&) = delete;
    PreparedCall& operator=(const PreparedCall&) = delete;

    /// Tells if masks that meet are equal, whatever the plan.
    /// Shape: arguments have the layouts and shapes of the constructor's; also for is_for().
    bool accepts(std::span<const Argument> arguments) const;
    /// Tells if the plan is for these arguments.
    bool is_for(std::span<const Argument> arguments) const { return plan_.is_for(arguments); }
    /// Errors: the errors of the graph's checks.
    std::vector<Result> run(std::span<const Argument> arguments, planning::RunEvents* events = nullptr,
                            std::span<const planning::ResultMemory> memory = {});

    const Graph& graph() const noexcept { return plan_.graph(); }
    /// True if the plan depends on the specified elements of the masked arguments, or the call is checked for
    /// it.
    bool reads_masks() const noexcept { return plan_.reads_masks() || !graph().equal_masks.empty(); }
    /// The call of a graph that is one body; null if none is stored.
    std::shared_ptr<const KeptLoops> whole();
    /// Memory of the loops that are stored now.
    std::size_t bytes();

private:
    const Signature signature_;
    const CompiledBodies bodies_;
    planning::KeptPlan plan_;
};

}  // namespace frisket::codegen
