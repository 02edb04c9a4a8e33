// SPDX-License-Identifier: MIT
// Replaces masks of lists by equal masks of other lists.
#pragma once
#include "planner.hpp"

#include <optional>

namespace frisket::planning {

/// Replaces the mask of a list by the mask of another list where both masks meet in a conjunction and both
/// lists have the same positions.  Nothing: no such lists exist, or no node reduces or scans, and the one
/// pass over the lists finds equal positions itself.
std::optional<Graph> with_equal_masks(const PlanRequest& request);

}  // namespace frisket::planning
