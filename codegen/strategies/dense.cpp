// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "flat.hpp"
#include "strategies.hpp"

namespace frisket::codegen {

/// dense: every element is loaded, computed and stored.
///
/// Legal when: every element of every masked operand is specified, and all tensors are contiguous.
/// Pros: no mask is read; runs at the bandwidth of memory.
/// Cons: none, where it is legal.
/// Knobs: vector, unroll, grain.
BuiltLoops make_dense(const LoopRequest& request, const Halide::Target& machine) {
    return make_flat(request, machine);
}

}  // namespace frisket::codegen
