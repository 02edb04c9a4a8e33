// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once

namespace frisket::codegen {

/// Makes loops survive a null pointer from halide_malloc: what needs that memory is left out.  Who gives
/// the null pointer has to remember it (JitContext::lacks_memory): what the loops store is unspecified then.
void guard_memory(Halide::Pipeline& pipeline);

}  // namespace frisket::codegen
