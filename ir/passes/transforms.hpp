// SPDX-License-Identifier: MIT
// Transforms steps into steps: dense equivalents, scaled gradients, stochastic rounding.
#pragma once
#include "../graph.hpp"

#include <string_view>

/// Steps derived from steps.
namespace frisket {

/// The step in which unspecified elements are zero: every Masked symbol is read as to_dense(symbol, 0),
/// on(m, e) is e, and every update is one of all elements.
Graph dense_equivalent(const Graph& step);

/// Names of the numbers that scaled_gradient adds.
inline constexpr std::string_view gradient_factor = "grad_factor";
inline constexpr std::string_view gradient_limit = "grad_limit";

/// The step that reads clamp(m * grad_factor, -grad_limit, grad_limit) wherever it read the Masked symbol m;
/// both are new Scalars, the last parameters of the step.
/// Errors: BindingError if the step has no such Masked symbol, or uses one of the names.
Graph scaled_gradient(const Graph& step, std::string_view masked);

/// Names of the numbers that stochastic_rounding adds.
inline constexpr std::string_view rounding_seed = "rounding_seed";
inline constexpr std::string_view rounding_step = "rounding_step";
inline constexpr std::string_view rounding_first = "rounding_first";

/// The step that rounds a target of 16 bits up or down at random (stochastic_rounding.hpp), once: readers
/// between its updates read a float32, if all of them have one mask or the last one none.  The seed, the
/// number of the step, and how many tiles (philox.hpp) of a larger tensor precede the target, which is a part
/// of it, are new Scalars of int64, the last parameters of the step.
/// Errors: BindingError if the step has no such InOut symbol, or uses one of the names; DTypeError if the
/// symbol has not 16 bits.
Graph stochastic_rounding(const Graph& step, std::string_view target);

}  // namespace frisket
