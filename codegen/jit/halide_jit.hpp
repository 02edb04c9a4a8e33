// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "../loops/loop_context.hpp"
#include "../loops/schedule.hpp"

/// State of Halide's JIT, common to its uses in this process.
namespace frisket::codegen {

/// Context of Halide's handlers for a call: has parallel loops run on the threads of threads.hpp.
struct JitContext : Halide::JITUserContext {
    explicit JitContext(LoopContext& own);
    LoopContext& loops;
};

/// Compiler errors become Bugs, warnings nothing.  Once.
void set_up_halide();

/// Elementwise code is IEEE, bit for bit on every machine.  Calls are checked before they reach a loop,
/// so Halide's own checks are left out, except for devices, whose failures they report.
Halide::Target machine_of(const TargetRow& row);

/// Number of float32 in a vector of a target's.
int float_lanes(const TargetRow& row);

}  // namespace frisket::codegen
