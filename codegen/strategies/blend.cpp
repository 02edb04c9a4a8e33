// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "flat.hpp"
#include "strategies.hpp"

namespace frisket::codegen {

/// blend: every element is loaded and stored; new where its bit is set, as before elsewhere.
///
/// Legal when: all tensors are contiguous.  The only flat strategy of a step whose updates have several
/// masks.
/// Pros: no branch; runs at the bandwidth of memory whatever the mask.  Full loads: predicated loads cost
/// 1.6 times
///       (AVX-512) to 2.3 times (AVX2) as much.
/// Cons: moves the whole tensor for a few elements.
/// Knobs: vector, unroll, grain.
BuiltLoops make_blend(const LoopRequest& request, const Halide::Target& machine) {
    return make_flat(request, machine);
}

}  // namespace frisket::codegen
