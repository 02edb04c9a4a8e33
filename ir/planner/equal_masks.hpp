// SPDX-License-Identifier: MIT
#pragma once
#include "planner.hpp"

#include <optional>

namespace frisket::planning {

/// A graph with one mask where those of two lists meet in a conjunction and the lists have the same places;
/// nothing if there are none, or if no node reduces, scans or multiplies: one pass finds equal places itself.
std::optional<Graph> with_equal_masks(const PlanRequest& request);

}  // namespace frisket::planning
