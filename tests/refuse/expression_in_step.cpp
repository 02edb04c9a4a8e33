// says: frisket: a step holds symbols, not tensors: write a symbol and bind the tensor, or eval(...) it
// SPDX-License-Identifier: MIT
#include "given.hpp"

auto wrong(const Expression<float>& e) { return step<"wrong">(param = e + 1); }
