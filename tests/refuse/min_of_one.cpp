// says: frisket: min(a, b) is the smaller of two: write amin(x, dims) for the smallest element
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = min(p); }
