// says: frisket: nothing is updated in this step: write target = expression, or target += expression
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(skip_nonfinite(grad));
