// says: frisket: an operand is a symbol, an expression or a number, and this is none of them
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = p["row"]; }
