// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once

/// Values of other lanes, in loops that are vectorized over `lane`.  Halide has no words for them: the
/// pipeline needs shuffle_lanes().  No other expression of the loop may have `lane` modulo 2, 3 or 4: Halide
/// takes vectors apart where it sees that.
namespace frisket::codegen {

/// The value that a vector has `places` lanes before; unspecified in the lanes before these.
Halide::Expr shifted(const Halide::Expr& value, const Halide::Expr& lane, int places);

/// Lines of a square, which differ in one bit of their number, once this bit of the number of the lane is
/// exchanged for the line's bit.  Such exchanges of all bits transpose a square.
Halide::Expr exchanged_lower(const Halide::Expr& lower, const Halide::Expr& upper, const Halide::Expr& lane,
                             int bit);
Halide::Expr exchanged_upper(const Halide::Expr& lower, const Halide::Expr& upper, const Halide::Expr& lane,
                             int bit);

/// Makes shuffles of vectors from the calls that these functions made.
void shuffle_lanes(Halide::Pipeline& pipeline);

/// Name of Funcs whose vectors are stored whole where some lanes are left as they are.
inline constexpr const char* whole_lanes_name = "partial";
/// Stores the vectors of such Funcs whole: LLVM keeps them in registers then.
void store_lanes_whole(Halide::Pipeline& pipeline);

}  // namespace frisket::codegen
