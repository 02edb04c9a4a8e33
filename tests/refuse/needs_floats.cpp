// says: frisket: this is a function of floats, and here are whole numbers: write 1.0 for 1
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr In<"hits", std::int32_t> hits;
constexpr auto wrong = hypot(hits, 2);
