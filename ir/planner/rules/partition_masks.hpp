// SPDX-License-Identifier: MIT
#pragma once
#include "../../graph.hpp"

#include <vector>

namespace frisket {

/// Of each node of a step with shapes: if it is a product, or what views and functions make of one, and
/// nothing that the step writes depends on it outside of the mask of a Masked symbol of its shape: that mask.
/// Else no_node.
std::vector<NodeId> find_sampled_products(const Graph& step);

}  // namespace frisket
