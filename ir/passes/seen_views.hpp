// SPDX-License-Identifier: MIT
// Finds the views through which results are seen.
#pragma once
#include "../graph.hpp"

#include <vector>

namespace frisket::ir {

/// True if shapes differ in dimensions of one element alone.
bool has_same_lengths(Shape a, Shape b);

/// True for a view that shows the elements of its operand in other places, each once.
/// `shape`: of the operand.
bool shows_each_once(const Node& view, const Shape& shape);

/// True for each view or reshape that stands between a result and what it shows, of which nothing else reads
/// the values: elementwise instructions and other views may stand between, too.
std::vector<bool> views_of_results(const Graph& graph);

/// Finds whether a view or reshape drops dimensions of one element.  Shape: it shows an elementwise
/// instruction, or a product without a mask of terms; false for others.
bool is_squeeze_of_elements(const Graph& graph, const Node& node);

}  // namespace frisket::ir
