// says: frisket: jit(...) takes a step: write jit(step<"name">(target = expression)), or eval(x)
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = jit(p * 2); }
