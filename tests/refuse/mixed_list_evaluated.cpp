// says: frisket: a list in braces is of one type: write stack(std::tuple(a, 2 * b), 0)
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

auto wrong(const Tensor<float>& m) { return eval(cat({m, 2 * m, m + 1}, 0)); }
