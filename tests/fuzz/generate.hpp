// SPDX-License-Identifier: MIT
#pragma once
#include "../support/random.hpp"
#include "program.hpp"

namespace fuzz {

/// Programs of up to so many instructions, the same for the same seed.
Program generate(std::uint32_t seed, int instructions);

/// The same instructions over other data, for which the same loops do: every extent above 1 is another.
Program with_other_data(const Program& program, std::uint32_t seed);

/// The same over so many elements that calls have several parts, and expressions threads: other loops.
/// Nothing for programs of more than a few instructions, or where more than 2^21 elements would stand.
std::optional<Program> with_large_data(const Program& program, std::uint32_t seed);

/// Values for inputs, generate_data.cpp.
struct Flavour {
    bool is_wild = false;    ///< infinities, NaN, denormals, the largest, beside small ones
    std::int64_t bound = 0;  ///< 0 to bound - 1, now and then another
};
AnyTensor random_values(DType dtype, const Shape& shape, const Flavour& flavour, testing::Random& random);
AnyTensor random_mask_of(const Shape& shape, testing::Random& random);
/// The slices along dimension 0 made equal.
void repeat_first(const AnyTensor& values);

}  // namespace fuzz
