// says: frisket: a Scalar is only read: a step updates ScalarState, a call binds a number
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(param -= grad, lr *= 0.9);
