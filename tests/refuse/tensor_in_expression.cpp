// says: frisket: an expression holds symbols, not tensors: write a symbol, and bind the tensor in the call
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = step<"wrong">(param -= p * grad); }
