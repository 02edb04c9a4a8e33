// SPDX-License-Identifier: MIT
// Converts the union of scatters to a list without duplicates.
#pragma once
#include <span>

#include "../interpreter/interpret.hpp"
#include "plan.hpp"

namespace frisket::planning {

/// The layout of the union of scatters.
Layout layout_of(const ScatteredResults::Scatters& scatters);
/// The union of scatters as a list without duplicates, from the results of the rest of their plan: elements
/// that one of them puts at one position are added in float64, in their order, elements of several in their
/// dtype.
/// Cost: linear in the scattered elements, and their positions are sorted unless they ascend.
Result listed_scatters(const ScatteredResults::Scatters& scatters, std::span<const Result> made);

}  // namespace frisket::planning
