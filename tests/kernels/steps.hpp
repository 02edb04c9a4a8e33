// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

/// Steps of the library few_kernels.
namespace few {

using namespace frisket;

inline constexpr InOut<"param"> param;
inline constexpr InOut<"sum"> total;
inline constexpr InOut<"row_sum"> row_sum;
inline constexpr Masked<"grad"> grad;
inline constexpr Scalar<"lr"> lr;

inline constexpr auto adagrad = step<"adagrad">(total += grad * grad, param -= lr * grad / sqrt(total));

inline constexpr auto row_wise =
    step<"row_wise">(row_sum += sum(grad * grad, {1}, keepdim), param -= lr * grad / sqrt(row_sum));

}  // namespace few
