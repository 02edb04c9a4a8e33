// says: frisket: an expression is no tensor yet: write eval(x)
// SPDX-License-Identifier: MIT
#include "given.hpp"

bool wrong(const Tensor<float>& p) { return same(p, p + 1); }
