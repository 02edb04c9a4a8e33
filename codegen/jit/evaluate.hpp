// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "../../ir/interpreter/interpret.hpp"
#include "../strategies/schedule.hpp"

namespace frisket {

struct Plan;

/// The results of an expression by compiled loops: one pipeline for all of them, kept for later calls with
/// tensors of the same ranks in which the same extents are 1.  Adds the stages that were run to `plan`, if
/// there is one.
/// Shape: the arguments have those that the graph was made for.
/// Cost: a first call compiles (about 0.1 s); a later one some microseconds.
/// Errors: MaskMismatch and what the graph's checks say, and nothing is given; ShapeError for extents of 2^31
/// or more; TargetError for targets that are no CPU.
std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target = {}, Plan* plan = nullptr);

}  // namespace frisket
