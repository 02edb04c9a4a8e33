// says: frisket: a step updates symbols, not parts: bind a part in the call, param = p.slice(0, 2, 5)
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param[0] -= lr * grad);
