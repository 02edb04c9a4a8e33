// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "strided.hpp"

namespace frisket::codegen {

/// strided_bits: strided with bits of the masks, by the row-major positions of elements.
///
/// Legal when: masks are layout bitmask and have the shape of what is written, but for those of operands that
/// are repeated, which are bytes; on devices.
/// Pros: bits are read where they lie, an eighth of what bytes are.
/// Cons: a position is computed for each element.
/// Knobs: block.
BuiltLoops make_strided_bits(const LoopRequest& request, const Halide::Target& machine) {
    return make_strided_threads(request, machine);
}

}  // namespace frisket::codegen
