// says: frisket: over(m) takes a Masked symbol
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(over(grad * grad), param -= lr * grad);
