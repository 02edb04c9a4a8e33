// says: frisket: elements are float, double, float16, bfloat16, bool, std::uint8_t, int32_t or int64_t
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong() { Tensor<short> wrong({2}); }
