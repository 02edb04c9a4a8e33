// says: frisket: tensors are no condition: write same(p, q), eval(all(x)).item(), where(c, a, b)
// SPDX-License-Identifier: MIT
#include "given.hpp"

bool wrong(const Tensor<bool>& p) {
    if (!p) return true;
    return false;
}
