// says: frisket: clamp(x, low, high) takes two bounds: write max(x, low)
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param = clamp(weight, 0));
