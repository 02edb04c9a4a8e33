// says: frisket: a char is no number of an expression: write an int or a float
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = grad + 'x';
