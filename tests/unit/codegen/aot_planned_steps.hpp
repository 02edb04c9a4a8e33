// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

/// Steps with operations on whole tensors that the tests compile ahead of time and just in time.
namespace planned {

using namespace frisket;

inline constexpr InOut<"param"> param;
inline constexpr InOut<"row_sum"> row_sum;
inline constexpr InOut<"w"> w;
inline constexpr InOut<"squares"> squares;
inline constexpr ScalarState<"steps"> steps;
inline constexpr Masked<"grad"> grad;
inline constexpr Masked<"x"> x;
inline constexpr In<"y"> y;
inline constexpr Scalar<"lr"> lr;
inline constexpr Let<"update"> update;

/// One number for each row: row-wise Adagrad.
inline constexpr auto row_wise = step<"row_wise">(row_sum += mean(grad * grad, {1}, keepdim),
                                                  param -= lr * grad / (sqrt(row_sum) + 1e-10));

/// A norm of all: the trust ratio of LARS.
inline constexpr auto trust = step<"trust">(update = sqrt(sum(grad * grad)),
                                            param -= lr * sqrt(sum(param * param)) * grad / (update + 1e-10));

/// A training step of least squares over a masked matrix.
inline constexpr auto train = step<"train">(w -= lr * gradient(mean(square(matmul(x, w) - y)), w));

/// Adagrad that leaves everything as it is if a gradient is not finite.
inline constexpr auto guarded = step<"guarded">(skip_nonfinite(grad), over(grad), squares += grad * grad,
                                                param -= lr * grad / (sqrt(squares) + 1e-10), steps += 1);

}  // namespace planned
