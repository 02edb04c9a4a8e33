// says: frisket: this is no number: write sqrt(x) for std::sqrt(x), eval(x).item() for its value
// SPDX-License-Identifier: MIT
#include <cmath>

#include "given.hpp"

auto wrong() { return step<"wrong">(param -= std::sqrt(grad)); }
