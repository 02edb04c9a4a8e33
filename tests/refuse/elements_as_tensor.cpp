// says: frisket: elements have a shape: write Tensor<float>({2, 3}, v)
// SPDX-License-Identifier: MIT
#include <vector>

#include "given.hpp"

void wrong(const std::vector<float>& v) { Tensor<float> wrong = v; }
