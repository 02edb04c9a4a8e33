// says: frisket: a dense update beside a masked one: write on(m, ...), or everywhere(target = ...)
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(state += grad * grad, param -= lr * state);
