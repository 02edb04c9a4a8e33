// says: frisket: an update belongs into a step: a call binds a tensor to each name
// SPDX-License-Identifier: MIT
#include "given.hpp"

void call(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, const Tensor<float>& p,
          const MaskedTensor<float>& g) {
    kernel(param -= lr * grad, grad = g, lr = 0.1);
}
