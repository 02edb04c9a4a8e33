// says: frisket: an InOut symbol is written, and this tensor is read-only: bind a Tensor of T, not const T
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<const float>& p) { auto wrong = (param = p); }
