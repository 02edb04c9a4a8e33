// says: frisket: a Let is defined once, with =: give the new value a Let of its own
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(d = grad, d *= 2, param -= d);
