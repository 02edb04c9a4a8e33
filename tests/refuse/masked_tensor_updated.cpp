// says: frisket: a tensor is updated by a step(...), or made anew: write p = eval(p + q) for p += q
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(MaskedTensor<float>& g) { g /= 2; }
