// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../loops/loop_provider.hpp"

namespace frisket::codegen {

/// The compiler as a source of loops for a target.  It lives as long as the program.
const LoopProvider& jit_loops(const TargetRow& target);

/// Shows the plan of a step if FRISKET_SHOW asks for it.
void show_plan(const LoopRequest& request);
/// Loops for a target: compiled ahead of time, read from the disk, or compiled.
LoopCode compiled_loop(const LoopRequest& request, const TargetRow& target);

/// Function that returns a source of loops that were compiled ahead of time for this processor; null if there
/// is no source.
using FindReadyLoops = const LoopProvider* (*)();
/// Has compilations of later calls take loops of default schedules from this source, where it has them.
void set_ready_loops(FindReadyLoops find) noexcept;

}  // namespace frisket::codegen
