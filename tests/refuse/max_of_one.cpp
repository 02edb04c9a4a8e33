// says: frisket: max(a, b) is the larger of two: write amax(x, dims) for the largest element
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = max(p, {1}); }
