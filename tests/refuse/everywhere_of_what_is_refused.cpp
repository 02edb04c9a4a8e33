// says: frisket: a Masked symbol is only read: a step updates InOut, a call binds a tensor
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr auto wrong = step<"wrong">(everywhere(grad = 0.0), param -= grad);
