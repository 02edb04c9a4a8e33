// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/scalar_program.hpp"
#include "../loops/built_loops.hpp"
#include "../loops/specialization.hpp"
#include "loop_memory.hpp"

namespace frisket::codegen {

/// The loops of an expression: every result, and the operands of its checks, from one pipeline.  Extents are
/// parameters, so that one loop serves all shapes of the same ranks in which the same extents are 1.
/// Shape: the graph has shapes, of which only whether an extent is 1 is looked at.
/// Device: a `machine` that has one runs all loops on it; their bits equal the host's.
BuiltLoops lower_expression(const LoopRequest& request, const Halide::Target& machine);

}  // namespace frisket::codegen
