// says: frisket: the tensor has other elements than its symbol: convert it, or declare the symbol so
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<double>& g) { auto wrong = (grad = g); }
