// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/planner/plan_report.hpp"
#include "../../ir/planner/planner.hpp"
#include "../../runtime/kernel/argument.hpp"
#include "../../runtime/kernel/ready.hpp"
#include "../strategies/schedule.hpp"
#include "evaluate.hpp"

namespace frisket::codegen {

/// Runs a step whose graph has shapes, by compiled loops: reductions and what else is no elementwise function
/// first, then one elementwise loop for the targets of each shape, in place.  Loops are kept for later calls
/// with the same ranks.
/// Shape: the arguments have those that the graph was made for, in the order of its symbols.
/// Errors: those of a kernel's call and of the graph's checks, before anything is written.
void run_step(const Graph& step, std::span<const Argument> arguments, const TargetName& target = {});
/// Makes the step ready, which run_step() would run; stages before the steps are computed now.  The result
/// refers to what the arguments refer to.  Adds the stages to `report`, if there is one.
std::unique_ptr<kernel::Ready> ready_step(const Graph& step, std::span<const Argument> arguments,
                                          const TargetName& target = {}, plan::PlanReport* report = nullptr);

/// The loops over listed rows of a step's plan, compiled when they are first called; none for devices.
std::vector<RowLoopsOfPlan> row_loops_of(const plan::StepPlan& plan, const TargetName& target);

}  // namespace frisket::codegen
