// says: frisket: a binding belongs into a call of the kernel: a step holds updates of symbols
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(lr = 0.1, param -= lr * grad);
