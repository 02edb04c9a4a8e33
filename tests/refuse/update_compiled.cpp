// says: frisket: jit(...) takes a step: write jit(step<"name">(target = expression)), or eval(x)
// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include "given.hpp"

void wrong() { auto wrong = jit(param -= lr * grad); }
