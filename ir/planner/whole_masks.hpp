// SPDX-License-Identifier: MIT
#pragma once
#include "planner.hpp"

#include <optional>

namespace frisket::planning {

/// True of a node that is specified by a mask with less elements, which is repeated along dimensions.
bool has_repeated_mask(const Graph& graph, const Node& node);

/// The graph in which values that have too many elements for a tensor have masks in their shape, where a mask
/// that broadcasts to it specified them: a list is repeated, so that it names each of their places.
/// Nothing: there is no such mask.
/// Shape: `request.graph` has shapes.
/// Cost: linear in the graph.
std::optional<Graph> with_whole_masks(const PlanRequest& request);

}  // namespace frisket::planning
