// says: frisket: tensors are no condition: write same(p, q), eval(all(x)).item(), where(c, a, b)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(Tensor<float>& p, const Tensor<float>& q) {
    while (p < q) p = q;
}
