// says: frisket: a step has a name: write step<"name">(target = expression)
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step(param -= lr * grad);
