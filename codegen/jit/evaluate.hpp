// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "../loops/compiled_bodies.hpp"

namespace frisket::codegen {

/// Uses of an evaluation besides its results.
struct JitUse {
    planning::PlanReport* plan = nullptr;                 ///< takes the stages that were run
    std::span<const planning::ResultMemory> memory = {};  ///< memory of the results, which may have other
    /// Takes the call of a graph that is one body over the memory of the arguments; else null.
    std::shared_ptr<const BoundCall>* bound = nullptr;
    LoopChoice loops = {};
};

/// The results of an expression by compiled loops: one pipeline for all of them, kept for later calls with
/// tensors of the same ranks in which the same extents are 1.
/// Shape: the arguments have those that the graph was made for.
/// Cost: a first call compiles (about 0.1 s); a later one some microseconds.
/// Errors: MaskMismatch and what the graph's checks say, and nothing is given; ShapeError for extents near
/// 2^31 or more; TargetError for targets that are unknown or absent; ScheduleError for schedules of steps.
/// Device: loops run where the arguments live, and results live there; nothing is copied but the bytes of
/// checks.
std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target = {}, const JitUse& use = {});

}  // namespace frisket::codegen
