// says: frisket: an operand is a symbol, an expression or a number, and this is none of them
// SPDX-License-Identifier: MIT
#include <vector>

#include "given.hpp"

void wrong(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, std::vector<float>& p,
           const MaskedTensor<float>& g) {
    kernel(param = p, grad = g, lr = 0.1);
}
