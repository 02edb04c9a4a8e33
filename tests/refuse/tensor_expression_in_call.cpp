// says: frisket: a step holds symbols, not tensors: write a symbol and bind the tensor, or eval(...) it
// SPDX-License-Identifier: MIT
#include "given.hpp"

void call(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, const Tensor<float>& p,
          const MaskedTensor<float>& g) {
    kernel(param = p * 2, grad = g, lr = 0.1);
}
