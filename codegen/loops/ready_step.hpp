// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/planner/planner.hpp"
#include "../../ir/planner/shaped_graph.hpp"
#include "../../runtime/kernel/argument.hpp"
#include "../../runtime/kernel/ready.hpp"
#include "compiled_bodies.hpp"

namespace frisket::codegen {

class PreparedCall;

/// Makes a step whose graph has shapes ready, to run by the loops of a source: reductions and other nodes
/// that are no elementwise function first, which are computed now, then one elementwise loop for the targets
/// of each shape, in place.  Loops are cached for later calls with the same ranks.  The result refers to the
/// memory of the arguments.  Adds to `events`, if there are any.
/// Shape: the arguments have those that the graph was made for, in the order of its symbols.
/// Errors: the errors of a kernel's call and of the graph's checks, before anything is written.
/// Cost: a step that is prepared once, and called again, is not hashed and not compared.
kernel_calls::Ready ready_step(const std::shared_ptr<const planning::PreparedGraph>& step,
                               std::span<const Argument> arguments, const LoopProvider& source,
                               planning::RunEvents* events = nullptr);
/// Prepares a step and makes it ready.
kernel_calls::Ready ready_step(const Graph& step, std::span<const Argument> arguments,
                               const LoopProvider& source, planning::RunEvents* events = nullptr);

/// Uses of an evaluation besides its results.
struct EvaluateUse {
    planning::RunEvents* events = nullptr;                ///< takes the events of the call
    std::span<const planning::ResultMemory> memory = {};  ///< memory of the results, which may have other
    std::shared_ptr<PreparedCall>* prepared = nullptr;    ///< takes the call, to be run again; else null
    LoopChoice loops = {};
};

/// The results of a graph by the loops of a source.
/// Shape, errors: as LoopProvider::evaluate.
std::vector<Result> evaluate_by(const LoopProvider& source, const Graph& graph,
                                std::span<const Argument> arguments, const EvaluateUse& use = {});

/// The plan of a step for the loops of a source: on a device one of as few loops as can be.
planning::StepPlan step_plan_for(const Graph& step, const LoopProvider& source);

/// The loops over listed rows of a step's plan, compiled when they are first called; none for devices.
std::vector<std::shared_ptr<RowLoops>> row_loops_of(const planning::StepPlan& plan,
                                                    const LoopProvider& source);

}  // namespace frisket::codegen
