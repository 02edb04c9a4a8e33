// says: frisket: this is defined for floats: write cast<float>(x)
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr In<"hits", std::int32_t> hits;
constexpr auto wrong = step<"wrong">(d = hits + 1, skip_nonfinite(d), param -= grad);
