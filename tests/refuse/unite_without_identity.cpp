// says: frisket: unite(...) of an operation that has no identity: write to_dense(x, fill)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const MaskedTensor<float>& g) { auto wrong = unite(g - g); }
