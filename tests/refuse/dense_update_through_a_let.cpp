// says: frisket: a dense update beside a masked one: write on(m, ...), or everywhere(target = ...)
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(d = state * 2, state += grad, param -= d);
