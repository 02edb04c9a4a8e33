// says: frisket: elements are float, double or bool
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr InOut<"count", std::int32_t> wrong;
