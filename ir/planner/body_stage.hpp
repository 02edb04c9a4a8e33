// SPDX-License-Identifier: MIT
#pragma once
#include <span>

#include "plan.hpp"

namespace frisket::plan {

/// The body of an expression over the coordinates of a space: symbols that are listed are read there, and
/// nodes that are listed have an element, or a row, for each coordinate.
/// Shape: `nodes` knows the nodes of `graph`, whose results work; masks that meet have been compared.
/// Cost: linear in the graph.
BodyStage body_at(Graph graph, const IterationSpaceAnalysis& nodes, ValueId coordinates,
                  std::span<const ValueId> operands);

/// The graph of a body for so many coordinates.
Graph with_extent(Graph graph, std::int64_t count);

}  // namespace frisket::plan
