// says: frisket: an expression is no tensor yet: write eval(x)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void takes(const Tensor<float>& t);

void wrong(const Tensor<float>& p) { takes(p + 1); }
