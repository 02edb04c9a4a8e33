// says: frisket: this is no number: write sqrt(x) for std::sqrt(x), eval(x).item() for its value
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { float wrong = p[0]; }
