// says: frisket: a gradient after an update of what its loss reads: write it first, as a Let above the update
// SPDX-License-Identifier: MIT
#include "given.hpp"

#include <frisket/optim.hpp>

constexpr auto loss = sum(square(param * state - weight));
constexpr auto wrong = step<"wrong">(optim::update(optim::adagrad, param, gradient(loss, param)),
                                     state -= lr * gradient(loss, state));
