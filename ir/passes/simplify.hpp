// SPDX-License-Identifier: MIT
#pragma once
#include "../graph.hpp"

namespace frisket::ir {

/// Removes instructions that move elements, and keeps the results bit for bit: a view of a view is one view,
/// and so are reshapes; what shows its operand as it is goes away, with casts to the operand's dtype; a
/// reduction of a view that repeats what is reduced is made once, and then repeated.
/// Shape: `graph` has shapes and no updates.
/// Cost: linear in the graph.
Graph simplified(const Graph& graph);

/// A view of a view, as a view of that view's operand, which has so many dimensions.
Node composed(const Node& outer, const Node& inner, std::size_t dims);

}  // namespace frisket::ir
