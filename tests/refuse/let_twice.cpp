// says: frisket: a Let is defined twice: give the second value a Let of its own
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(d = grad, d = lr * grad, param -= d);
