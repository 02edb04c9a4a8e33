// says: frisket: the step's symbol of this name has another kind or type: bind the step's own symbol
// SPDX-License-Identifier: MIT
#include "given.hpp"

void call(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, const Tensor<float>& p,
          const MaskedTensor<float>& g) {
    kernel(param = p, In<"grad">{} = p, lr = 0.1);
}
