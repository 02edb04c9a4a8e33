// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <string>

#include "targets.hpp"

/// What every use of Halide's JIT in this process shares.
namespace frisket {

/// What Halide's handlers are given: keeps the first message, runs parallel loops on the threads of
/// threads.hpp.  Throwing inside a handler would end the process.
struct JitContext : Halide::JITUserContext {
    JitContext();
    std::string message;
};

/// Compiler errors become Bugs, warnings nothing.  Once.
void set_up_halide();

/// Runs task(closure, i) for i in [0, tasks) on the threads that run loops, so that no second pool competes
/// for the cores.
void jit_parallel_for(int tasks, void (*task)(void* closure, int i), void* closure);

/// Elementwise code is IEEE, bit for bit on every machine.  Calls are checked before they reach a loop,
/// so Halide's own checks are left out, except for devices, whose failures they report.
Halide::Target machine_of(const TargetRow& row);

}  // namespace frisket
