// says: frisket: a step is compiled and called: write jit(step)(name = tensor, ...)
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

void wrong() { auto wrong = eval(sgd); }
