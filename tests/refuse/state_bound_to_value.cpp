// says: frisket: a call updates a ScalarState in place: bind a variable of type double
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Kernel<std::remove_const_t<decltype(nadam)>>& kernel, const Tensor<float>& p,
           const MaskedTensor<float>& g) {
    kernel(param = p, grad = g, lr = 0.1, t = 1, product = 1.0);
}
