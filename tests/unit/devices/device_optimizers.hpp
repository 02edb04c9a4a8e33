// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/optim.hpp>

/// Optimizers, and a loss, that the tests compile ahead of time for devices.
namespace device_optimizers {

using namespace frisket;
using namespace frisket::optim;

inline const OptimizerKernels adamw{.rule = AdamW{}};
inline const OptimizerKernels row_wise{.rule = RowwiseAdagrad{}};
inline const OptimizerKernels layerwise{.rule = LAMB{}};

/// A loss and its gradient, as minimize() evaluates them.
inline constexpr In<"x"> x;
inline constexpr In<"y"> y;
inline constexpr InOut<"w"> w;
inline constexpr auto misfit = mean(square(matmul(x, w) - y));
inline constexpr auto loss = function<"loss">(misfit, gradient(misfit, w));

}  // namespace device_optimizers
