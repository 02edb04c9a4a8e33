// says: frisket: this mask is made from what the step updates: write to_dense(x, fill), or two steps
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param = where(param > 0, grad, 1.0));
