// says: frisket: elements are float, double, bool, std::int32_t or std::int64_t
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr InOut<"count", std::int16_t> wrong;
