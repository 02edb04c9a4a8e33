// says: frisket: a Let is read before it is defined: write its definition above its use
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(d = d, param -= d);
