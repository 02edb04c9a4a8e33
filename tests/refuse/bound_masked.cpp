// says: frisket: a masked tensor is bound to a dense symbol: declare it Masked, or bind its to_dense(fill)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const MaskedTensor<float>& g) { auto wrong = (weight = g); }
