// says: frisket: an expression is no tensor yet: write eval(x)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(Tensor<float>& p) { p = p + 1; }
