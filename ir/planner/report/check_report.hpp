// SPDX-License-Identifier: MIT
#pragma once
#include "../coordinate_set.hpp"

namespace frisket::planning {

/// Says what is wrong with the first check of a graph that fails at the coordinates, and where in the whole.
/// Errors: the check's.
void report_checks_at(const Graph& graph, const CoordinateSet& places, std::span<const Argument> arguments);

}  // namespace frisket::planning
