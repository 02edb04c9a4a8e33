// says: frisket: a mask is bool, and these are numbers: write a comparison, x != 0
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = masked(p, p); }
