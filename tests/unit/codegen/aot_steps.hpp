// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

/// Steps that the tests compile ahead of time and just in time.
namespace steps {

using namespace frisket;

inline constexpr InOut<"a"> a;
inline constexpr InOut<"b"> b;
inline constexpr InOut<"wide", double> wide;
inline constexpr In<"weight"> weight;
inline constexpr Masked<"grad"> grad;
inline constexpr Masked<"other"> other;
inline constexpr Scalar<"lr"> lr;
inline constexpr Scalar<"eps"> eps;
inline constexpr Scalar<"count", std::int64_t> count;
inline constexpr ScalarState<"mu"> mu;

inline constexpr auto adagrad = step<"adagrad">(b += grad * grad, a -= lr * grad / (sqrt(b) + eps));

/// Functions, a broadcast operand, host scalars that are stored, two dtypes.
inline constexpr auto functions = step<"functions">(
    mu *= 0.5 + pow(0.5, count), a = where(grad < weight, exp(grad* mu), log(abs(grad)) - 1.0f / weight),
    wide += on(grad, sqrt(wide* wide) + lr));

/// Updates of two masks.
inline constexpr auto two_masks = step<"two_masks">(a += 2 * grad, b -= other);

/// No mask at all.
inline constexpr auto plain = step<"plain">(a += lr * weight);

}  // namespace steps
