// says: frisket: softmax(x, dim) goes along a dimension: write softmax(x, -1)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = softmax(p); }
