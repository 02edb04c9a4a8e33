// says: frisket: an operation on a whole tensor, and its operand is a number without a shape
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(skip_nonfinite(lr), param -= lr * grad);
