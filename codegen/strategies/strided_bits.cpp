// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "strided.hpp"

namespace frisket::codegen {

/// strided_bits: strided with bits of the masks, by the row-major positions of elements.
///
/// Legal when: masks are layout bitmask and have the shape of the outputs, except masks of repeated operands,
/// which are bytes; on devices.
/// Pros: bits are read without a copy, an eighth of the bytes of a byte mask.
/// Cons: a position is computed for each element.
/// Knobs: block.
BuiltLoops make_strided_bits(const LoopRequest& request, const Halide::Target& machine) {
    return make_strided_threads(request, machine);
}

}  // namespace frisket::codegen
