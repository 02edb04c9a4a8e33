// says: frisket: a ScalarState is one number, and this value has elements: write an expression of scalars
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param -= grad, product = param);
