// says: frisket: an untyped tensor in an expression: give it a type, Tensor<float>(t)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const AnyTensor& t) { Expression<float> wrong = t; }
