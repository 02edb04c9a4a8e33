// says: frisket: an Expression<T> is of float, double, int32_t, int64_t or bool: cast<float16>(e) in eval
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<float>& p) { Expression<float16> wrong = p; }
