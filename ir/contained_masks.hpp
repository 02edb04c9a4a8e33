// SPDX-License-Identifier: MIT
// Proves from the graph that one mask implies another.
#pragma once
#include "graph.hpp"

#include <optional>

namespace frisket::ir {

/// True if a mask is true wherever `part` is because of how both were made from one: it is equal to `part`,
/// or to `any` of it over dimensions, as the masks of reductions are, also of several after each other.
/// Reduced dimensions are broadcast back to their places: with extent 1 there (keepdim), or because they were
/// leading.
/// Views (unsqueeze, permute, flip, slices, …) and reshapes that only add or drop extents of 1 are followed;
/// other instructions are equal to themselves alone.  Masks that must be equal at the call count as equal.
/// Shape: `graph` has shapes; both masks broadcast together.
bool is_contained(const Graph& graph, NodeId mask, NodeId part);

/// True if a mask is true wherever `part` is, because of how both were made: as is_contained() says, or
/// through `and` and `or` of such masks.  False also where there are too many of them to look at.
/// Shape: both masks broadcast together.
bool is_implied(const Graph& graph, NodeId mask, NodeId part);

/// The one of two masks that is op::LogicalAnd of both, or op::LogicalOr, as one implies the other.
/// Shape: both masks broadcast together.
std::optional<NodeId> absorbing(const Graph& graph, OpId op, NodeId a, NodeId b);

/// True if a mask is true at every place, whatever the tensors are: it is made of constants that are.
/// Shape: `graph` has shapes.
bool is_true_everywhere(const Graph& graph, NodeId mask);

}  // namespace frisket::ir
