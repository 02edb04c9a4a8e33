// SPDX-License-Identifier: MIT
// Finds the views through which results are seen.
#pragma once
#include "../graph.hpp"

#include <vector>

namespace frisket::ir {

/// True if shapes differ only in dimensions of one element.
bool has_same_lengths(Shape a, Shape b);

/// True for a view that shows each element of its operand once, at another index.  `shape`: the operand's.
bool shows_each_once(const Node& view, const Shape& shape);

/// True for each view or reshape between a result and the node it shows, if nothing else reads the values:
/// elementwise instructions and other views may be between, too.
std::vector<bool> views_of_results(const Graph& graph);

/// Finds whether a view or reshape drops dimensions of one element.  Shape: it shows an elementwise
/// instruction, or a product without a mask of terms; false for all other nodes.
bool is_squeeze_of_elements(const Graph& graph, const Node& node);

}  // namespace frisket::ir
