// says: frisket: a gradient after an update of what its loss reads: write it first, as a Let above the update
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param -= grad, skip_nonfinite(gradient(sum(square(param)), param)));
