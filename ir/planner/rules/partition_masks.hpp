// SPDX-License-Identifier: MIT
// Finds products of a step that are needed only at the elements of a mask.
#pragma once
#include "../../graph.hpp"

#include <vector>

namespace frisket::planning {

/// Finds sampled products among the nodes of a step with shapes.  A node has a mask here if it is a product,
/// or the result of views and functions of one, and nothing that the step writes depends on it outside of the
/// mask of a Masked symbol of its shape: that mask.  Else it has no_node.
std::vector<NodeId> find_sampled_products(const Graph& step);

}  // namespace frisket::planning
