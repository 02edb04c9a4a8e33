// says: frisket: tensors are no condition: write same(p, q), eval(all(x)).item(), where(c, a, b)
// SPDX-License-Identifier: MIT
#include "given.hpp"

auto wrong() { return param = grad > 0.0 ? 1.0 : 0.0; }
