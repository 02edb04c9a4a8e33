// says: frisket: an expression has no elements to print yet: write eval(x)
// SPDX-License-Identifier: MIT
#include <iostream>

#include "given.hpp"

void wrong(const Tensor<float>& p) { std::cout << p + 1 << "\n"; }
