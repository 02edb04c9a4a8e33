// SPDX-License-Identifier: MIT
// Expands masks to the shape of values that are too large to store as dense tensors.
#pragma once
#include "planner.hpp"

#include <optional>

namespace frisket::planning {

/// True for an elementwise node that reads a bool with less elements, or has such a mask, which is repeated
/// along dimensions.
bool reads_repeated_mask(const Graph& graph, const Node& node);

/// The graph in which values that have too many elements for a tensor read masks in their shape, where lists
/// that broadcast to it were read: a list is repeated, so that it names each of their positions.  Nothing: no
/// such mask exists.
/// Shape: `request.graph` has shapes.
/// Cost: linear in the graph.
std::optional<Graph> with_whole_masks(const PlanRequest& request);

}  // namespace frisket::planning
