// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "strided.hpp"

namespace frisket::codegen {

/// strided_lists: strided with lists of elements, found by their ranks (AnyMasked::ranks()) at the row-major
/// positions of elements.
///
/// Legal when: masks are layouts coo or csr and have the shape of what is written, but for those of operands
/// that are repeated, which are bytes; on devices.
/// Pros: lists are read where they lie.
/// Cons: a position is computed for each element, and its rank; every element is looked at.
/// Knobs: block.
BuiltLoops make_strided_lists(const LoopRequest& request, const Halide::Target& machine) {
    return make_strided_threads(request, machine);
}

}  // namespace frisket::codegen
