// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/optim.hpp>

/// Optimizers that are compiled ahead of time.
namespace aot_optimizers_test {

using namespace frisket;
using namespace frisket::optim;

inline const OptimizerKernels adam{.rule = Adam{.amsgrad = true}, .dtypes = {DType::float32, DType::float64}};
inline const OptimizerKernels lazy{.rule = Adagrad{}, .untouched = Untouched::caught_up};
inline const OptimizerKernels rounded{
    .rule = SGD{.momentum = 0.9}, .stochastic_rounding = true, .dtypes = {DType::bfloat16}};
inline const OptimizerKernels layerwise{.rule = LAMB{}};
inline const OptimizerKernels zeros{.rule = Adam{}, .untouched = Untouched::dense_equivalent};

/// A loss and its gradients, as minimize() evaluates them.
inline constexpr Masked<"ratings"> ratings;
inline constexpr InOut<"users"> users;
inline constexpr InOut<"items"> items;
inline constexpr auto misfit = mean(square(ratings - matmul(users, transpose(items, 0, 1))));
inline constexpr auto loss = function<"loss">(misfit, gradient(misfit, users), gradient(misfit, items));

}  // namespace aot_optimizers_test
