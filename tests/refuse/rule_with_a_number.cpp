// says: frisket: an operation on a whole tensor, and its operand is a number without a shape
// SPDX-License-Identifier: MIT
#include "given.hpp"

#include <frisket/optim.hpp>

constexpr auto wrong = step<"wrong">(optim::update(optim::adagrad, param, lr * 2));
