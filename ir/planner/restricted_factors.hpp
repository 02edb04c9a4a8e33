// SPDX-License-Identifier: MIT
// Moves the masks of large products of lists to the factors and the result.
#pragma once
#include "planner.hpp"

#include <optional>

namespace frisket::planning {

/// Terms from which on a product of lists is no body over all of them, where no rule plans it as it is.
/// Fewer are computed in less time than lists take.
constexpr std::int64_t least_restricted_terms = std::int64_t{1} << 16;
/// Terms for a call whose loops were compiled ahead of time: plans of extents below were enumerated.
constexpr std::int64_t least_restricted_ahead = std::int64_t{1} << 32;

/// True if a graph has a product with many terms (above) that is no tensor, or a mask that may be true where
/// such a product has a term.
bool has_large_products(const PlanRequest& request);
/// True if a graph has a product with many terms, whose mask of terms reads lists.
bool has_large_list_products(const PlanRequest& request);

/// The graph of a call, in which each product of lists that has another mask of terms than its factors has
/// the factors at that mask: parts of the mask that differ along the reduced dimension restrict a factor, the
/// remaining parts the result.  Nothing: no such product exists.
/// Shape: `request.graph` is in list form.
/// Cost: linear in the graph.
std::optional<Graph> with_restricted_factors(const PlanRequest& request);

}  // namespace frisket::planning
