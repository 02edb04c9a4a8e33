// says: frisket: over(m) restricts this step, and a rule has updates of its own: write two steps
// SPDX-License-Identifier: MIT
#include "given.hpp"

#include <frisket/optim.hpp>

constexpr auto wrong = step<"wrong">(over(grad), optim::update(optim::adagrad, param, grad));
