// says: frisket: in a call the symbol stands first: write symbol = tensor
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, Tensor<float>& p,
           const MaskedTensor<float>& g) {
    kernel(p = param, grad = g, lr = 0.1);
}
