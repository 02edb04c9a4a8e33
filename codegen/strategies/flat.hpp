// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "../lowering/kernel_builder.hpp"

namespace frisket::codegen {

/// A loop over tiles of 64 elements, one word of a bit mask each: dense, blend, skip, predicate or bytes, by
/// the schedule.
BuiltLoops make_flat(const LoopRequest& request, const Halide::Target& machine);

}  // namespace frisket::codegen
