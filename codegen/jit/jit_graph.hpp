// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/graph.hpp"
#include "../../runtime/kernel/compiled_kernel.hpp"
#include "../strategies/schedule.hpp"

#include <functional>
#include <memory>
#include <span>

namespace frisket {

namespace plan {
class ShapedStep;
}

/// A step with operations on whole tensors, described for the shapes of each call, that run_step runs.
/// FRISKET_SHOW=graph shows each graph that is made.
std::shared_ptr<plan::ShapedStep> shaped_step(std::function<Graph(std::span<const Shape>)> describe,
                                              const TargetName& target);

/// Makes a step with run-time names into a kernel.  Nothing is compiled yet: loops are, one set per
/// layout, when a layout is first met, or in warm_up().  The same graph for the same target gives the
/// same loops.
/// Errors: TargetError if the target is unknown or absent.
/// Device: tensors live on the host; for a GPU target each call copies its arguments in and its results
/// out.
CompiledKernel jit(const Graph& graph, const TargetName& target = {});

/// Makes a kernel with a schedule of one's own: calls take its strategy, whatever the mask, and its knobs.
/// Errors: ScheduleError, at a call, if loops of that strategy cannot walk the layouts that came.
CompiledKernel jit(const Graph& graph, const Schedule& schedule, const TargetName& target = {});

}  // namespace frisket
