// SPDX-License-Identifier: MIT
// Splits reductions over extents that loops cannot count.
#pragma once
#include "../graph.hpp"

namespace frisket::ir {

/// Makes a reduction over an extent that loops cannot count of reductions of parts of it, which are joined.
/// Extents that are too long for parts stay, and so do reductions to positions.  False if no reduction
/// changes.
/// Shape: `graph` has shapes.
bool reduce_in_parts(Graph& graph);

}  // namespace frisket::ir
