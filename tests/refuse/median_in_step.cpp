// says: frisket: median and x[condition] depend on values: eval(...) them before the step
// SPDX-License-Identifier: MIT
#include "given.hpp"

inline constexpr auto wrong = step<"wrong">(param -= grad * to_dense(median(grad), 0));
