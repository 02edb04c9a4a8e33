// says: frisket: an operand is a symbol, an expression or a number, and this is none of them
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

constexpr auto wrong = function<"wrong">(skip_nonfinite(grad), grad * 2);
