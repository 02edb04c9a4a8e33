// says: frisket: the call gives a value to a name that the step does not have
// SPDX-License-Identifier: MIT
#include "given.hpp"

void call(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, const Tensor<float>& p,
          const MaskedTensor<float>& g) {
    kernel(param = p, grad = g, lr = 0.1, t = 1);
}
