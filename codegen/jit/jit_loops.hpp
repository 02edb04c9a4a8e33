// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../loops/loop_provider.hpp"

namespace frisket::codegen {

/// The compiler as a source of loops for a target.  It lives as long as the program.
const LoopProvider& jit_loops(const TargetRow& target);

/// Shows the plan of a step if FRISKET_SHOW says so.
void show_plan(const LoopRequest& request);
/// Loops for a target: read from the disk, or compiled.
LoopCode compiled_loop(const LoopRequest& request, const TargetRow& target);

}  // namespace frisket::codegen
