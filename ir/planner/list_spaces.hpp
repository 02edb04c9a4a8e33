// SPDX-License-Identifier: MIT
// Finds the iteration spaces that the lists of a graph share.
#pragma once
#include "iteration_space.hpp"
#include "planner.hpp"

#include <optional>
#include <vector>

namespace frisket::planning {

/// Returns whether two shapes have equal extents apart from extents of 1.  Their row-major positions are then
/// equal.
bool is_same_space(const Shape& a, const Shape& b);

/// Single elements: for each shape of masked arguments, and of masked nodes that have their positions in
/// other dimensions of one element, the elements that any of them stores, whatever the layouts that are
/// lists; for a shape of results that are specified nowhere, none.  A shape to which those before it
/// broadcast is the first.
std::vector<IterationSpace> spaces_of_lists(const Graph& graph, const PlanFacts& facts);
/// Such a space if it has masked arguments, and they all store equal positions in one layout; else nothing.
/// Shape: the graph's symbols have the shapes of the arguments.
/// Cost: a comparison of their lists.
std::optional<IterationSpace> space_of_same_pattern(const IterationSpace& space, const PlanRequest& request);

}  // namespace frisket::planning
