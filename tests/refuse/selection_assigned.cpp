// says: frisket: an expression is only read: write p.at({i, j}) = 3, or copy(q, p.slice(0, 2, 5))
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(Tensor<float>& p) { p[0] = 3; }
