// says: frisket: this is no number: write sqrt(x) for std::sqrt(x), eval(x).item() for its value
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

double wrong(const Tensor<float>& p) { return eval(sum(p)); }
