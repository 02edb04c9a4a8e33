// says: frisket: this is a pointer to a tensor, and no tensor: write *p
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, Tensor<float>* p,
           const MaskedTensor<float>& g) {
    kernel(param = p, grad = g, lr = 0.1);
}
