// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/planner/planner.hpp"
#include "../../ir/planner/report/plan_report.hpp"
#include "../../runtime/kernel/argument.hpp"
#include "../../runtime/kernel/ready.hpp"
#include "compiled_bodies.hpp"

namespace frisket::codegen {

/// Makes a step whose graph has shapes ready, to run by the loops of a source: reductions and what else is no
/// elementwise function first, which are computed now, then one elementwise loop for the targets of each
/// shape, in place.  Loops are kept for later calls with the same ranks.  The result refers to what the
/// arguments refer to.  Adds the stages to `report`, if there is one.
/// Shape: the arguments have those that the graph was made for, in the order of its symbols.
/// Errors: those of a kernel's call and of the graph's checks, before anything is written.
std::unique_ptr<kernel_calls::Ready> ready_step(const Graph& step, std::span<const Argument> arguments,
                                                const LoopProvider& source,
                                                planning::PlanReport* report = nullptr);

/// The plan of a step for the loops of a source: on a device one of as few loops as can be.
planning::StepPlan step_plan_for(const Graph& step, const LoopProvider& source);

/// The loops over listed rows of a step's plan, compiled when they are first called; none for devices.
std::vector<RowLoopsOfPlan> row_loops_of(const planning::StepPlan& plan, const LoopProvider& source);

}  // namespace frisket::codegen
