// says: frisket: eval(...) of symbols: they stand for tensors of a step's call, write tensors
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

void wrong() { auto wrong = eval(split(grad * 2, 2)); }
