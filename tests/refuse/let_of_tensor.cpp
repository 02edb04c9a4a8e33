// says: frisket: a Let stands for an expression: write an In or Masked symbol for a tensor
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = step<"wrong">(d = p, param -= d); }
