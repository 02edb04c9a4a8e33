// says: frisket: a Masked symbol is only read: a step updates InOut, a call binds a tensor
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

void wrong(const Tensor<float>& p) {
    constexpr auto wrong = step<"wrong">(param -= lr, grad = 1.0);
    auto kernel = jit(wrong);
    kernel(param = p, lr = 0.1);
}
