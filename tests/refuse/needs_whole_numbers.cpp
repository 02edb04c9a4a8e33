// says: frisket: bits are those of whole numbers, and here are floats: declare the symbols so
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = param & 1;
