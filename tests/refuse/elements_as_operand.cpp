// says: frisket: an operand is a symbol, an expression or a number, and this is none of them
// SPDX-License-Identifier: MIT
#include <vector>

#include "given.hpp"

void wrong(const Tensor<float>& p, const std::vector<float>& v) { auto wrong = p * v; }
