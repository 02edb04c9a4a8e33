// SPDX-License-Identifier: MIT
#pragma once
#include "graph.hpp"

#include <string_view>

/// Steps made from steps.
namespace frisket {

/// The step in which what is unspecified is zero: every Masked symbol is read as to_dense(symbol, 0),
/// on(m, e) is e, and every update is one of all elements.
Graph dense_equivalent(const Graph& step);

/// Names of the numbers that scaled_gradient adds.
inline constexpr std::string_view gradient_factor = "grad_factor";
inline constexpr std::string_view gradient_limit = "grad_limit";

/// The step that reads clamp(m * grad_factor, -grad_limit, grad_limit) wherever it read the Masked symbol m;
/// both are new Scalars, the last parameters of the step.
/// Errors: BindingError if the step has no such Masked symbol, or uses one of the names.
Graph scaled_gradient(const Graph& step, std::string_view masked);

}  // namespace frisket
