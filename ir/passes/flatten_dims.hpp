// SPDX-License-Identifier: MIT
// Flattens expressions over tensors of one shape to one dimension.
#pragma once
#include <optional>
#include <span>

#include "../graph.hpp"

namespace frisket::ir {

/// The shape that all tensors of an expression have, apart from tensors of rank 0, if nothing in it looks at
/// single dimensions: elementwise operations and reductions over everything.  Nothing without such a shape.
std::optional<Shape> common_shape(const Graph& graph);

/// The expression over tensors of one dimension.
/// Shape: `graph` has a common shape.
Graph flattened(Graph graph, const Shape& shape);

}  // namespace frisket::ir
