// SPDX-License-Identifier: MIT
// Replaces factors of products whose elements are all the same by one element.
#pragma once
#include "planner.hpp"

#include <optional>

namespace frisket::planning {

/// The graph in which products read one element instead of a factor that has too many for a tensor, whose
/// elements are all the same, and whose mask is no part of the mask of terms.  A factor of a list keeps the
/// dimensions that the list lacks.  Nothing: no such factor exists.
/// Shape: `request.graph` has shapes.
/// Cost: linear in the graph.
std::optional<Graph> with_constant_factors(const PlanRequest& request);

}  // namespace frisket::planning
