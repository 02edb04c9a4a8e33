// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "strided.hpp"

namespace frisket::codegen {

/// strided_lists: strided with lists of elements, found by their ranks (AnyMasked::ranks()) at the row-major
/// positions of elements.
///
/// Legal when: masks are layouts coo or csr and have the shape of the outputs, except masks of repeated
/// operands, which are bytes; on devices.
/// Pros: lists are read without a copy.
/// Cons: a position is computed for each element, and its rank; every element is looked at.
/// Knobs: block.
BuiltLoops make_strided_lists(const LoopRequest& request, const Halide::Target& machine) {
    return make_strided_threads(request, machine);
}

}  // namespace frisket::codegen
