// says: frisket: the call leaves a name of the step without a value: add name = value
// SPDX-License-Identifier: MIT
#include "given.hpp"

void call(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, const Tensor<float>& p,
          const MaskedTensor<float>& g) {
    kernel(param = p, grad = g);
}
