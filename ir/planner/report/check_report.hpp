// SPDX-License-Identifier: MIT
// Raises the error of a failed check, with the coordinates of the failing element.
#pragma once
#include "../../../runtime/list_kernels/coordinate_set.hpp"
#include "../../graph.hpp"

namespace frisket::planning {

/// Reports the first check of a graph that fails at the coordinates, and where in the whole.
/// Errors: the check's.
void report_checks_at(const Graph& graph, const list_kernels::CoordinateSet& places,
                      std::span<const Argument> arguments);

}  // namespace frisket::planning
