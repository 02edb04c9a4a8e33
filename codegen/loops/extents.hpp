// SPDX-License-Identifier: MIT
// Checks that loops can index tensors, and decides if threads pay.
#pragma once
#include "../../ir/graph.hpp"

namespace frisket::codegen {

/// True if some tensor has so many elements, or if there is so much to do in all, that threads pay.
bool is_large(const Graph& graph);

/// Checks that loops can index the elements of a node as one range.  Errors: ShapeError.
void check_extents(const Node& node);
/// Checks the tensors that are in memory, whatever the loops, and reshapes; loops say what else they store.
/// Errors: ShapeError.
void check_extents(const Graph& graph);

}  // namespace frisket::codegen
