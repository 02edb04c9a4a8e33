// says: frisket: a float is bound to an integer Scalar: bind an integer, or declare it a double
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = (t = 1.5);
