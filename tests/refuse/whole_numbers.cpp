// says: frisket: elements are float, double or bool, and these would be whole numbers: write 1.0 for 1
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = where(param > 0, 1, 2);
