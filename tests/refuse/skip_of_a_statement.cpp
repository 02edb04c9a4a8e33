// says: frisket: an operand is a symbol, an expression or a number, and this is none of them
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(skip_nonfinite(param -= grad));
