// says: frisket: the fill of to_dense(x, fill) is one number: a constant, or an expression of scalars
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(d = lr * param, state = to_dense(grad, d));
