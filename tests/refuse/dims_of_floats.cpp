// says: frisket: dimensions are integers: write sum(x, 1), sum(x, {0, -1}) or sum(x, {1}, keepdim)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = sum(p, 1.5); }
