// SPDX-License-Identifier: MIT
// Builds the graph that evaluates an expression at the coordinates of an iteration space.
#pragma once
#include <span>
#include <string>

#include "../rewrite.hpp"
#include "plan.hpp"

namespace frisket::planning {

/// The body of an expression over the coordinates of a space: symbols that are listed are read there, and
/// nodes that are listed have an element, or a row, for each coordinate.
/// Shape: `nodes` knows the nodes of `graph`, whose results work; masks that meet have been compared.
/// Cost: linear in the graph.
BodyStage body_at(Graph graph, const IterationSpaceAnalysis& nodes, ValueId coordinates,
                  std::span<const ValueId> operands);

/// The graph of a body for the given number of coordinates.
Graph with_extent(Graph graph, std::int64_t count);

/// Tells if an operation is a function, which takes many instructions.
bool is_function(const Node& node);

/// The values of a masked node, 0 where it is not specified.
NodeId filled(ir::Rewriter& body, NodeId id);
/// Reads the values that an earlier stage has stored for a node, under the mask that it had, as the body's
/// last symbol.
NodeId read_stored(ir::Rewriter& body, const Node& node, const std::string& number);

/// A tensor without memory, whose elements nothing may read.
AnyTensor unmade(DType dtype, const Shape& shape);

}  // namespace frisket::planning
