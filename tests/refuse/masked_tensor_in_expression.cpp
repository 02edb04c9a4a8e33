// says: frisket: an expression holds symbols, not tensors: write a symbol, and bind the tensor in the call
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const MaskedTensor<float>& g) { auto wrong = sqrt(g); }
