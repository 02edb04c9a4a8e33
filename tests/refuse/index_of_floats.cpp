// says: frisket: an index holds whole numbers: write cast<std::int64_t>(x)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { auto wrong = p[p]; }
