// says: frisket: an expression is no tensor yet: write eval(x)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { Tensor<float> wrong = p + 1; }
