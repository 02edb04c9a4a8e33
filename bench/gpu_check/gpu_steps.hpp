// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

/// Steps and functions that frisket_gpu_check runs.
namespace gpu_check {

using namespace frisket;

inline constexpr InOut<"param"> param;
inline constexpr InOut<"exp_avg"> exp_avg;
inline constexpr InOut<"exp_avg_sq"> exp_avg_sq;
inline constexpr InOut<"state_sum"> state_sum;
inline constexpr InOut<"row_sum"> row_sum;
inline constexpr In<"slope"> slope;
inline constexpr Masked<"grad"> grad;
inline constexpr Scalar<"lr"> lr;
inline constexpr Scalar<"eps"> eps;
inline constexpr Scalar<"correction1"> correction1;
inline constexpr Scalar<"correction2"> correction2;
inline constexpr In<"logits"> logits;
inline constexpr Masked<"ratings"> ratings;
inline constexpr In<"users"> users;
inline constexpr In<"items"> items;

/// Adam (Kingma & Ba, 2015), betas of 0.9 and 0.999; corrections are 1 - beta to the power of the step.
inline constexpr auto adam = step<"adam">(
    exp_avg = 0.9f * exp_avg + 0.1f * slope, exp_avg_sq = 0.999f * exp_avg_sq + 0.001f * slope * slope,
    param -= lr * (exp_avg / correction1) / (sqrt(exp_avg_sq / correction2) + eps));

/// Adagrad (Duchi et al., 2011) where the gradient is specified.
inline constexpr auto adagrad =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));

/// Adagrad with one number of state for each row.
inline constexpr auto row_wise =
    step<"row_wise">(row_sum += mean(grad * grad, {1}, keepdim), param -= lr * grad / (sqrt(row_sum) + eps));

/// Rows of probabilities.
inline constexpr auto soft = function<"soft">(softmax(logits, 1));

/// A product of matrices at the specified places of a third (SDDMM).
inline constexpr auto sampled = function<"sampled">(on(ratings, matmul(users, transpose(items, 0, 1))));

}  // namespace gpu_check
