// says: frisket: a step is compiled before it is called: write jit(step)(name = tensor, ...)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p, const MaskedTensor<float>& g) { sgd(param = p, grad = g, lr = 0.1); }
