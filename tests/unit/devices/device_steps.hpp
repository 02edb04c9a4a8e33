// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

/// Steps and a function that the tests compile ahead of time for devices.
namespace device_steps {

using namespace frisket;

inline constexpr InOut<"param"> param;
inline constexpr InOut<"state_sum"> state_sum;
inline constexpr InOut<"exp_avg"> exp_avg;
inline constexpr InOut<"exp_avg_sq"> exp_avg_sq;
inline constexpr InOut<"row_sum"> row_sum;
inline constexpr Masked<"grad"> grad;
inline constexpr In<"logits"> logits;
inline constexpr In<"slope"> slope;
inline constexpr In<"target"> target;
inline constexpr Scalar<"lr"> lr;
inline constexpr Scalar<"eps"> eps;
inline constexpr Scalar<"correction1"> correction1;
inline constexpr Scalar<"correction2"> correction2;

inline constexpr auto adagrad =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));

/// Decoupled weight decay of 0.01, betas of 0.9 and 0.999; corrections are 1 - beta to the power of the step.
inline constexpr auto adamw = step<"adamw">(
    exp_avg = 0.9f * exp_avg + 0.1f * slope, exp_avg_sq = 0.999f * exp_avg_sq + 0.001f * slope * slope,
    param = param * (1 - lr * 0.01) - lr * (exp_avg / correction1) / (sqrt(exp_avg_sq / correction2) + eps));

/// One number of state for each row.
inline constexpr auto row_wise =
    step<"row_wise">(row_sum += mean(grad * grad, {1}, keepdim), param -= lr * grad / (sqrt(row_sum) + eps));

/// A step that is compiled for few layouts.
inline constexpr auto descent = step<"descent">(param -= 0.25f * grad);

/// Rows of probabilities.
inline constexpr auto soft = function<"soft">(softmax(logits, 1));

/// A loss of dense tensors, and its gradient.
inline constexpr auto misfit = mean(square(param - target));
inline constexpr auto loss = function<"loss">(misfit, gradient(misfit, param));

}  // namespace device_steps
