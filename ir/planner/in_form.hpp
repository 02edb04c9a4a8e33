// SPDX-License-Identifier: MIT
// Tests if list_form leaves a graph unchanged.
#pragma once
#include "planner.hpp"

namespace frisket::planning {

/// True for a graph that list_form would give again.
/// Cost: linear in the graph.
bool is_in_form(const PlanRequest& request);

}  // namespace frisket::planning
