// SPDX-License-Identifier: MIT
#pragma once
#include "../graph.hpp"

namespace frisket::planning {

/// The nodes of a graph in another order: what a product multiplies stands before its mask.
Graph with_factors_first(Graph graph);

}  // namespace frisket::planning
