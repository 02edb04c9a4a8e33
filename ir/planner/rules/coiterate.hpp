// SPDX-License-Identifier: MIT
// Plans expressions of lists as one body over the stored elements of the lists.
#pragma once
#include "../planner.hpp"

#include <optional>

namespace frisket::planning {

/// The plan of an expression whose masked arguments are lists, and which looks at only the listed
/// coordinates: one body over the stored values, with dense arguments gathered.  Where the arguments specify
/// the same coordinates in one layout, results that are masked as they are have their layout and share their
/// lists; other masked results are coo.  The coordinates are in all lists if results are specified only
/// there, else in any list.  Nothing if the expression looks at more, or if nothing is listed.
std::optional<Plan> plan_coiterate(const PlanRequest& request);

}  // namespace frisket::planning
