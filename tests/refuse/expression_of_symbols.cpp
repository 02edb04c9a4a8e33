// says: frisket: an Expression<T> is of tensors, and these are symbols: in a step write a Let
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong() { Expression<float> wrong = param * weight; }
