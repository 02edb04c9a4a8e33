// SPDX-License-Identifier: MIT
// Proves from the graph that one mask implies another.
#pragma once
#include "graph.hpp"

#include <optional>

namespace frisket::ir {

/// True if a mask is true wherever `part` is because of how both were computed: it is equal to `part`, or to
/// `any` of it over dimensions, as the masks of reductions are, also of several after each other.  Reduced
/// dimensions are broadcast back to their positions: with extent 1 there (keepdim), or because they were
/// leading.
/// Views (unsqueeze, permute, flip, slices, …) and reshapes that only add or drop extents of 1 are followed;
/// other instructions are equal only to themselves.  Masks that must be equal at the call count as equal.
/// Shape: `graph` has shapes; both masks broadcast together.
bool is_contained(const Graph& graph, NodeId mask, NodeId part);

/// True if a mask is true wherever `part` is, because of how both were made: as is_contained() determines, or
/// through `and` and `or` of such masks.  False also where there are too many of them to look at.
/// Shape: both masks broadcast together.
bool is_implied(const Graph& graph, NodeId mask, NodeId part);

/// The one of two masks that is op::LogicalAnd of both, or op::LogicalOr, as one implies the other.
/// Shape: both masks broadcast together.
std::optional<NodeId> absorbing(const Graph& graph, OpId op, NodeId a, NodeId b);

/// True if a mask is true at every index, for all values of the tensors: it is computed from constants that
/// are.
/// Shape: `graph` has shapes.
bool is_true_everywhere(const Graph& graph, NodeId mask);

}  // namespace frisket::ir
