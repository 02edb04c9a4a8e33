// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

inline constexpr frisket::Masked<"ratings"> ratings;
inline constexpr frisket::In<"users"> users;
inline constexpr frisket::In<"items"> items;
inline constexpr frisket::InOut<"table"> table;
inline constexpr frisket::InOut<"row_sum"> row_sum;
inline constexpr frisket::Masked<"table_grad"> table_grad;
inline constexpr frisket::Scalar<"rate"> rate;

// [function]
inline constexpr auto misfit = sum(square(ratings - matmul(users, transpose(items, 0, 1))));

/// A loss and its gradients, as a function: a call gives their values.
inline constexpr auto loss =
    frisket::function<"loss">(misfit, gradient(misfit, users), gradient(misfit, items));

/// A step with a reduction: one number of state for each row.
inline constexpr auto row_wise =
    frisket::step<"row_wise">(row_sum += mean(table_grad * table_grad, {1}, frisket::keepdim),
                              table -= rate * table_grad / (sqrt(row_sum) + 1e-10));
// [/function]
