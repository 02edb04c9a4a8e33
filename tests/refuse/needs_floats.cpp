// says: frisket: this is a function of floats, and here are whole numbers: write 1.0 for 1
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr In<"count", std::int32_t> count;
constexpr auto wrong = hypot(count, 2);
