// says: frisket: dimensions are integers: write sum(x, {0, -1})
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = sum(p, {1.5}); }
