// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

/// Expressions of symbols, which a program made by frisket_add_kernels tunes.
namespace expressions {

inline constexpr frisket::In<"x"> x;
inline constexpr frisket::In<"w"> w;
inline constexpr frisket::Masked<"m"> m;
inline constexpr frisket::Scalar<"scale"> scale;

inline constexpr auto weighted = scale * m + x;
inline constexpr auto attention = matmul(softmax(matmul(x, w), 1), x);

}  // namespace expressions
