// says: frisket: tensors are no condition: write same(p, q), eval(all(x)).item(), where(c, a, b)
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

auto wrong(const Tensor<float>& p, const Tensor<float>& q) { return eval(p > 0 ? p : q); }
