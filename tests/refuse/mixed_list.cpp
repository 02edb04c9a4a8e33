// says: frisket: a list in braces is of one type: write stack(std::tuple(a, 2 * b), 0)
// SPDX-License-Identifier: MIT
#include "given.hpp"

auto wrong(const Tensor<float>& m) { return stack({m, 2 * m}, 0); }
