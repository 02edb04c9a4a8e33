// says: frisket: a binding belongs into a call of the kernel: a step holds updates of symbols
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = step<"wrong">(param = p); }
