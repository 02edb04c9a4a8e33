// says: frisket: eval(...) of a number, which is a value already: write the number
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

auto wrong() { return eval(1.0); }
