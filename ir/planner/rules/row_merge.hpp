// SPDX-License-Identifier: MIT
// Merges passes over one element per row into the passes over whole rows.
#pragma once
#include "../planner.hpp"

namespace frisket::planning {

/// The plan of a step whose passes over one element of each row are part of the passes over whole rows
/// behind them, where that can be: a loop less.  Every element of a row then computes the new number of its
/// row, from the number that was there before the step, which the values bring along, and all store the same.
/// For devices, where a loop is a kernel; a processor would compute it as often as a row is long.
/// The results have the same bits as with the given plan.
StepPlan with_merged_rows(const Graph& step, StepPlan plan);

}  // namespace frisket::planning
