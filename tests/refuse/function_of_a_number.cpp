// says: frisket: an operation on a whole tensor, and its operand is a number without a shape
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

constexpr auto wrong = function<"wrong">(2 * lr);
