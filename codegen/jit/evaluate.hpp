// SPDX-License-Identifier: MIT
// Evaluates expressions with loops that are compiled just in time.
#pragma once
#include <span>
#include <vector>

#include "../loops/ready_step.hpp"

namespace frisket::codegen {

/// The results of an expression by compiled loops: one pipeline for all of them, cached for later calls with
/// tensors of the same ranks in which the same extents are 1.
/// Shape: the arguments have those that the graph was made for.
/// Cost: a first call compiles (about 0.1 s); a later one some microseconds.
/// Errors: MaskMismatch and the errors of the graph's checks, without results; ShapeError for extents near
/// 2^31 or more; TargetError for targets that are unknown or absent; ScheduleError for schedules of steps.
/// Device: loops run where the arguments live, and results live there; nothing is copied but the bytes of
/// checks.
std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target = {}, const EvaluateUse& use = {});

}  // namespace frisket::codegen
