// says: frisket: over(m) holds for the whole step: write it once, before the updates
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param -= grad, over(grad), state *= 2);
