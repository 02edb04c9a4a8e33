// says: frisket: intersect(...) and unite(...) take one operation of two operands: intersect(a * b)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const MaskedTensor<float>& g) { auto wrong = intersect(sqrt(g)); }
