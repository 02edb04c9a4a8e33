// says: frisket: update(rule, w, gradient) updates an InOut symbol, and w is none
// SPDX-License-Identifier: MIT
#include "given.hpp"

#include <frisket/optim.hpp>

constexpr auto wrong = step<"wrong">(optim::update(optim::adagrad, weight, grad));
