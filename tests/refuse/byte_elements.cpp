// says: frisket: expressions are of float, double, bool, std::int32_t or std::int64_t
// SPDX-License-Identifier: MIT
#include "given.hpp"

void wrong(const Tensor<std::uint8_t>& bytes) { auto wrong = bytes + 1; }
