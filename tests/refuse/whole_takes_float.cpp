// says: frisket: the target's elements are whole numbers, and this value is a float: declare it a float
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr InOut<"hits", std::int64_t> hits;
constexpr auto wrong = step<"counts">(hits += grad);
