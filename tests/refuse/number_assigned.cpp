// says: frisket: a number is no tensor: write full<float>({2, 3}, 1), or p.at({i, j}) = 1
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(Tensor<float>& p) { p = 0; }
