// says: frisket: a step divides whole numbers by what may be 0: divide by a constant, or make one a float
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr InOut<"number", std::int32_t> number;
inline constexpr In<"other", std::int32_t> other;
constexpr auto wrong = step<"wrong">(number = floor_divide(number, other));
