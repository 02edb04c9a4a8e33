// says: frisket: a step holds symbols, not tensors: write a symbol and bind the tensor, or eval(...) it
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = step<"wrong">(param -= p * grad); }
