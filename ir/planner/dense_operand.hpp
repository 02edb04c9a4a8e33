// SPDX-License-Identifier: MIT
// Plans the dense tensors, lines and coordinates that list kernels read.
#pragma once
#include "planner.hpp"

#include <map>
#include <span>

namespace frisket::planning {

/// Lets results have the dtype of their nodes: as results of an expression, host scalars would be
/// float32.
void keep_dtypes(Graph& graph);

/// Adds the stages that make a node without a mask that reads no list, for a list kernel: arguments are read
/// as they are, views of them show their memory, and a body makes the rest.  The value.
/// `operands`: the values that the symbols of `graph` read.  `stored`: nodes that bodies have made, to which
/// it adds its own.
using BodyValues = std::map<NodeId, ValueId>;
ValueId add_dense_operand(PlanBuilder& to, const Graph& graph, NodeId id, std::span<const ValueId> operands,
                          BodyValues* stored = nullptr);
inline ValueId add_dense_operand(PlanBuilder& to, const PlanRequest& request, NodeId id) {
    return add_dense_operand(to, request.graph, id, request.operands);
}

/// Adds the body that makes a node without a mask as a tensor, for a list kernel.  The value.
/// `operands`: the values that the symbols of `graph` read.
ValueId add_dense_body(PlanBuilder& to, const Graph& from, NodeId id, std::span<const ValueId> operands);

/// Adds the coordinates that any list of a space stores.  The value.
ValueId add_coordinates(PlanBuilder& to, const PlanRequest& request, const IterationSpace& space);
/// Adds the body that makes nodes at coordinates, in a line each.  `made`: their values.
void add_lines(PlanBuilder& to, const PlanRequest& request, const IterationSpaceAnalysis& nodes,
               ValueId coordinates, const std::map<NodeId, ValueId>& made);

}  // namespace frisket::planning
