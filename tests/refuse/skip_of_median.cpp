// says: frisket: median and x[condition] depend on values: eval(...) them before the step
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(skip_nonfinite(median(weight)), param -= weight);
