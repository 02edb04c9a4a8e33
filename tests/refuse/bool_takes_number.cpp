// says: frisket: the target's elements are bool, and this value is a number: write a comparison, x != 0
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr InOut<"seen", bool> seen;
constexpr auto wrong = step<"wrong">(seen = weight * 2);
