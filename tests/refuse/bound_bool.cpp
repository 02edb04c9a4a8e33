// says: frisket: a bool is no number of an expression: write 1.0 or 0.0, or a comparison
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = (lr = true);
