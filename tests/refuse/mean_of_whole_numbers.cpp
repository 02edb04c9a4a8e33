// says: frisket: this is defined for floats: write cast<float>(x)
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<std::int32_t>& hits) { auto wrong = mean(hits, {1}); }
