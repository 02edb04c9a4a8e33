// says: frisket: a step holds symbols, not tensors: write a symbol and bind the tensor, or eval(...) it
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

void wrong(const Tensor<float>& x) { auto wrong = function<"wrong">(sum(grad * grad), x * x); }
