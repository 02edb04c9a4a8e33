// SPDX-License-Identifier: MIT
// Internal: a loss and its gradients, before a step is taken.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "optimizer.hpp"

namespace frisket::optim {

/// The value of a loss, and its gradients.
struct LossGradients {
    std::optional<double> loss;       // none if it is unspecified
    std::vector<Argument> gradients;  // one for each parameter; none of those that the loss does not read
};

/// Evaluates a loss over the tensors of parameters, or symbols of their names, and its gradients.
/// Errors: as Optimizer::minimize.
LossGradients loss_gradients(const std::function<ir::Value(GraphEmitter&)>& loss,
                             std::span<const NamedParameter> parameters,
                             std::span<const NamedArgument> inputs, const Optimizer::Settings& settings);

}  // namespace frisket::optim
