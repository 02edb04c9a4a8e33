// says: frisket: a step holds symbols, not tensors: write a symbol and bind the tensor, or eval(...) it
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& g) { auto wrong = step<"wrong">(skip_nonfinite(g), param -= grad); }
