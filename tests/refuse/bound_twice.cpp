// says: frisket: the call gives one name two values
// SPDX-License-Identifier: MIT
#include "given.hpp"

void call(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, const Tensor<float>& p,
          const MaskedTensor<float>& g) {
    kernel(param = p, grad = g, lr = 0.1, grad = g);
}
