// says: frisket: a step raises whole numbers to what may be negative: write a constant, or make one a float
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr InOut<"number", std::int32_t> number;
inline constexpr In<"other", std::int32_t> other;
constexpr auto wrong = step<"wrong">(number = pow(number, other) + 1);
