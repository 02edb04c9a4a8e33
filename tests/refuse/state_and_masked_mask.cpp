// says: frisket: the condition of where is a number: write a comparison, x != 0
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param = where(product, grad, 1.0));
