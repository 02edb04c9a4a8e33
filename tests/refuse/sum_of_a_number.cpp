// says: frisket: an operation on a whole tensor, and its operand is a number without a shape
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr auto wrong = step<"wrong">(param += sum(lr) * grad);
