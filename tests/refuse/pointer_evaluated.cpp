// says: frisket: eval(...) takes an expression of tensors: no update or pointer
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

void wrong(const Tensor<float>* p) { auto wrong = eval(p); }
