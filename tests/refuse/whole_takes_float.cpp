// says: frisket: the target's elements are whole numbers, and this value is a float: declare it a float
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr InOut<"count", std::int64_t> count;
constexpr auto wrong = step<"counts">(count += grad);
