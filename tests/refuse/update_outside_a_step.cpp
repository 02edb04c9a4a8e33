// says: 'an update does nothing until it is part of a step'
// SPDX-License-Identifier: MIT
#include "given.hpp"

// A warning, and part of -Wall; here an error.
#pragma GCC diagnostic error "-Wunused-result"
void wrong() { param -= lr * grad; }
