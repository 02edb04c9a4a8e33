// SPDX-License-Identifier: MIT
// Rounds numbers to 16 bits at random, with the number as the expected value.
#pragma once
#include "../../runtime/tensor/tensor.hpp"

#include <cstdint>

/// Rounding up or down at random, with the probabilities that make the mean the number itself: an update too
/// small to change a number of 16 bits changes it occasionally.  Compiled loops: codegen/scalar/random.cpp.
/// Source: Gupta et al., "Deep learning with limited numerical precision", ICML 2015.
namespace frisket::ir {

/// Random bits of the elements of a tensor: a function of nothing else.
struct RandomBits {
    std::int64_t seed = 0;
    std::int64_t step = 0;   ///< its lowest 32 bits
    std::int64_t first = 0;  ///< tiles (philox.hpp) before position 0
    int rounding = 0;        ///< which one of the step
    /// 32 bits for the element at a row-major position.  Source: Philox4x32-10 (philox.hpp).
    std::uint32_t at(std::int64_t position) const;
};

/// One of the two numbers of `dtype`, float16 or bfloat16, adjacent to `value`, or itself if it is one.  A
/// value past the largest finite number, infinite or NaN is rounded to nearest.  The probability is exact;
/// for float16's denormals it is accurate to 2^-24.
float round_stochastically(float value, DType dtype, std::uint32_t bits);

/// Rounds a float32 tensor that broadcasts to `shape`; random bits belong to positions in `shape`.
AnyTensor round_stochastically(const AnyTensor& values, DType dtype, const RandomBits& random,
                               const Shape& shape);

}  // namespace frisket::ir
