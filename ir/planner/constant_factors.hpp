// SPDX-License-Identifier: MIT
// Replaces factors of products whose elements are all the same by one element.
#pragma once
#include "planner.hpp"

#include <optional>

namespace frisket::planning {

/// The graph in which products with a tensor read one element instead of the other factor, where that has too
/// many for a tensor, all of them are the same, and its mask is no part of the mask of terms.  Nothing: no such
/// factor exists.
/// Shape: `request.graph` has shapes.
/// Cost: linear in the graph.
std::optional<Graph> with_constant_factors(const PlanRequest& request);

}  // namespace frisket::planning
