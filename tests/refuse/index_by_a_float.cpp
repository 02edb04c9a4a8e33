// says: frisket: an operation on a whole tensor, and its operand is a number without a shape
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = p[1.5]; }
