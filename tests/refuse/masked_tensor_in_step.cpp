// says: frisket: a step holds symbols, not tensors: write a symbol and bind the tensor, or eval(...) it
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const MaskedTensor<float>& g) { auto wrong = step<"wrong">(param += sqrt(g)); }
