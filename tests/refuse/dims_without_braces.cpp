// says: frisket: dimensions stand in braces before keepdim: write sum(x, {0, 1}, keepdim)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = sum(p, 0, 1); }
