// SPDX-License-Identifier: MIT
#pragma once
#include "planner.hpp"

namespace frisket::plan {

/// Lets results have the dtype of their nodes: as results of an expression, numbers of the host would be
/// float32.
void keep_dtypes(Graph& graph);

/// Adds the stages that make a node without a mask that reads no list, for a list kernel: arguments are read
/// as they are, views of them show their memory, and a body makes the rest.  The value.
ValueId add_dense_operand(PlanBuilder& to, const PlanRequest& request, NodeId id);

}  // namespace frisket::plan
