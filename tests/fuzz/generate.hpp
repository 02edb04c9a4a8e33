// SPDX-License-Identifier: MIT
#pragma once
#include "../support/random.hpp"
#include "program.hpp"

namespace fuzz {

/// Programs of at most the given number of instructions, the same for the same seed.
Program generate(std::uint32_t seed, int instructions);

/// A program that users write, as attention, norms, losses and products of lists; without results if the seed
/// yields none.
Program generate_idiom(std::uint32_t seed);

/// The program over other data, on which its compiled loops run too: every extent above 1 is changed.
Program with_other_data(const Program& program, std::uint32_t seed);

/// The program over enough elements for calls to have several parts, and expressions several threads: other
/// loops. Nothing for programs of more than a few instructions, or where it would have more than `most`
/// elements.
std::optional<Program> with_large_data(const Program& program, std::uint32_t seed, std::int64_t most);

/// An elementwise kernel over tensors of another space, in other layouts that its loops walk: with few
/// elements, or with at least the given size, around a limit of the code.
Program with_other_call(const Program& kernel, std::uint32_t seed, std::int64_t least = 0);
/// Elements that a large call has at least: every other one more than a task of lists.
std::int64_t large_call(std::uint32_t seed);

/// A whole tensor with a number next to a limit of some integer dtype, or of floats that hold all of
/// them: a comparison, sum, difference, product or extreme.
Program generate_whole_numbers(std::uint32_t seed);

/// Values for inputs, generate_data.cpp.
struct Flavour {
    /// Numbers that are mixed with numbers of moderate size.
    enum class With : std::uint8_t {
        nothing,
        extremes,  ///< infinities, NaN, denormals, the largest, mixed with small numbers
        ties,      ///< few numbers, each many times, and NaN
        borders,   ///< special 16-bit floats: ties between two, denormals, past the largest; and bounds of
                   ///< shifts
    };
    With with = With::nothing;
    std::int64_t bound = 0;  ///< 0 to bound - 1, now and then another
};
Flavour any_flavour(testing::Random& random);
AnyTensor random_values(DType dtype, const Shape& shape, const Flavour& flavour, testing::Random& random);
AnyTensor random_mask_of(const Shape& shape, testing::Random& random);
/// The part of a mask that a layout can hold.
AnyTensor held(Layout layout, const AnyTensor& mask);
/// With the last two dimensions exchanged.
AnyTensor turned(const AnyTensor& values);
/// The slices along dimension 0 made equal.
void repeat_first(const AnyTensor& values);

}  // namespace fuzz
