// says: frisket: a ScalarState is one number, and this value is masked: write an expression of scalars
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(d = lr * grad, param -= d, product *= d);
