// says: frisket: this is a pointer to a tensor, and no tensor: write *p
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p, const Tensor<float>* q) { auto wrong = p + q; }
