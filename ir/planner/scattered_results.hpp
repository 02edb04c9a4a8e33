// SPDX-License-Identifier: MIT
// Converts the union of scatters to a list without duplicates.
#pragma once
#include <span>

#include "../interpreter/interpret.hpp"
#include "plan.hpp"

namespace frisket::planning {

/// The layout of the union of scatters.
Layout layout_of(const ScatteredResults::Scatters& scatters);
/// The union of scatters as a list without duplicates, from what the rest of their plan has made: elements
/// that one of them puts at one place are added in float64, in their order, those of several in their dtype.
/// Cost: linear in what is scattered, and its places are sorted unless they ascend.
Result listed_scatters(const ScatteredResults::Scatters& scatters, std::span<const Result> made);

}  // namespace frisket::planning
