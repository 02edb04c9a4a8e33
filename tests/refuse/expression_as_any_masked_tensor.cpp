// says: frisket: an expression is no masked tensor yet: write eval(x)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const MaskedTensor<float>& g) { MaskedTensor wrong = g + 1; }
