// says: frisket: a tensor is bound to a number: declare the symbol In or Masked
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<double>& p) { auto wrong = (lr = p); }
