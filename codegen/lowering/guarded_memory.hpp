// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once

namespace frisket::codegen {

/// Makes loops survive a null pointer from halide_malloc: statements that need that memory are left out.  The
/// allocator has to remember the null pointer (LoopContext::lacks_memory): the loops' results are unspecified
/// then.
void guard_memory(Halide::Pipeline& pipeline);

}  // namespace frisket::codegen
