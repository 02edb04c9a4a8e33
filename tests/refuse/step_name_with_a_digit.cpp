// says: frisket: a name is made of letters, digits and _, and does not start with a digit
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"2nd">(param -= grad);
