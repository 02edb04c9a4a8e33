// says: frisket: where(condition, a, b) takes two values: write where(condition, a, 0)
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param = where(weight > 0, state));
