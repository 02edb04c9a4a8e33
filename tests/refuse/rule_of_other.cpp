// says: frisket: update(rule, w, gradient) takes a step with InOut param and Masked grad
// SPDX-License-Identifier: MIT
#include "given.hpp"

#include <frisket/optim.hpp>

constexpr auto halve = step<"halve">(state *= 0.5);
constexpr auto wrong = step<"wrong">(optim::update(halve, param, grad));
