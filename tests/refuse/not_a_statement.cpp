// says: frisket: a step holds updates: write target = expression, or target += expression
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param - lr * grad);
