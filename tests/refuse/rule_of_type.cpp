// says: frisket: this rule is for parameters of another type: write RULE_step<double>() for those of double
// SPDX-License-Identifier: MIT
#include "given.hpp"

#include <frisket/optim.hpp>

constexpr InOut<"w", double> w;
constexpr auto wrong = step<"wrong">(optim::update(optim::adagrad, w, grad));
