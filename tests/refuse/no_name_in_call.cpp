// says: frisket: a call takes named arguments: write name = tensor, or name = number
// SPDX-License-Identifier: MIT
#include "given.hpp"

void call(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, const Tensor<float>& p,
          const MaskedTensor<float>& g) {
    kernel(p, grad = g, lr = 0.1);
}
