// SPDX-License-Identifier: MIT
// Checks that loops can index tensors, and decides if threads pay.
#pragma once
#include "../../ir/graph.hpp"

namespace frisket::codegen {

/// True if the elements of some tensor, or the operations in all, are enough for threads to pay.
bool is_large(const Graph& graph);

/// Checks that loops can index the elements of a node as one range.  Errors: ShapeError.
void check_extents(const Node& node);
/// Checks the tensors that are in memory, whatever the loops, and reshapes; loops check the further tensors
/// that they store.
/// Errors: ShapeError.
void check_extents(const Graph& graph);

}  // namespace frisket::codegen
