// says: frisket: to_dense(x, fill) takes the value of unspecified elements: write to_dense(x, 0)
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param -= to_dense(grad));
