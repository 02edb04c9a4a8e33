// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

/// Functions that the tests compile just in time and ahead of time.
namespace functions {

using namespace frisket;

inline constexpr Masked<"m"> m;
inline constexpr Masked<"other"> other;
inline constexpr In<"u"> u;
inline constexpr InOut<"v"> v;  // a step may update it; functions only read
inline constexpr In<"table"> table;
inline constexpr In<"ids", std::int64_t> ids;
inline constexpr Scalar<"scale"> scale;

inline constexpr auto squares = sum(square(m - matmul(u, transpose(v, 0, 1))));

/// A factorisation loss, and its gradients.
inline constexpr auto loss = function<"loss">(squares);
inline constexpr auto loss_and_gradients =
    function<"loss_and_gradients">(squares, gradient(squares, u), gradient(squares, v));

/// A masked result, of rows of whatever length.
inline constexpr auto soft = function<"soft">(softmax(m * scale, 1));

/// Lists that meet.
inline constexpr auto both = function<"both">(unite(m + other) * 2.0f, sum(m, 1));

/// A gradient that reads nothing of its symbol, before a gradient that reads another.
inline constexpr auto slope = function<"slope">(gradient(sum(u * 2.0f), u), square(v));

/// Rows of a table.
inline constexpr auto bags = function<"bags">(sum(index_select(table, 0, ids), 0));

}  // namespace functions
