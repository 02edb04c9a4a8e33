// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// Choice of the errors of inexact instructions.
struct Noise {
    enum class Sign : std::uint8_t { up, down, random } sign = Sign::random;
    bool backwards = false;  ///< sums and products take their terms from the last to the first
    std::uint32_t seed = 0;
    double size = 1;  ///< errors in units of the largest
};

/// The interpreter, with an error in every sum and product whose order is free.  What moves so, loops may
/// move too.
Engine noisy(const Noise& noise);

}  // namespace fuzz
