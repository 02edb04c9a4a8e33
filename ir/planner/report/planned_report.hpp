// SPDX-License-Identifier: MIT
#pragma once
#include "../planner.hpp"
#include "plan_report.hpp"

namespace frisket::planning {

/// The stages of a call that has not run: what depends on how much they store has no numbers.
/// `plan`: that of the request; none: one body over whole tensors.
void report_plan(PlanReport& report, const PlanRequest& request, const std::optional<Plan>& plan);

}  // namespace frisket::planning
