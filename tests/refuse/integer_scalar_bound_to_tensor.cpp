// says: frisket: a tensor is bound to a number: declare the symbol In or Masked
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<std::int64_t>& p) { auto wrong = (t = p); }
