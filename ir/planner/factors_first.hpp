// SPDX-License-Identifier: MIT
// Reorders the nodes of a graph so that the factors of a product precede its mask.
#pragma once
#include "../graph.hpp"

namespace frisket::planning {

/// The nodes of a graph in another order: the factors of a product precede its mask.
Graph with_factors_first(Graph graph);

}  // namespace frisket::planning
