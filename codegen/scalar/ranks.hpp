// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once

namespace frisket::codegen {

/// The number of set bits of 64: Halide's own has no name in OpenCL.
Halide::Expr bit_count(Halide::Expr word);

/// An element of a list whose stored elements AnyMasked::ranks() describes.
struct RankedElement {
    Halide::Expr is_stored;
    Halide::Expr entry;  ///< its index among the values; if it is not stored, any of their indices
};
/// Element `bit` (0 to 31) of the 32 elements of a number of ranks(), of a list with `count` values.
RankedElement ranked_element(const Halide::Expr& number, const Halide::Expr& bit, const Halide::Expr& count);

}  // namespace frisket::codegen
