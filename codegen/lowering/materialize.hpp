// SPDX-License-Identifier: MIT
// Chooses the nodes that loops store instead of computing them at each use.
#pragma once
#include <set>

#include "reduction_fusion.hpp"
#include "row_fusion.hpp"

namespace frisket::codegen {

/// Nodes that are computed once and read from memory.  Loops compute others wherever they read them; where
/// that is at many places, or loads stand in indices of loads, what is in loops would grow exponentially, and
/// so would the time to compile.
/// Chains of elementwise operations that one loop reads at one place stay in it.
/// Nodes that are computed beside a row of the result are stored sooner: they stay in cache.
/// `most_inlined`: operations that all readers of a node may hold together before it is stored; 0: some
/// hundred.
std::set<NodeId> nodes_to_store(const Graph& graph, const ReductionGroups& groups, const RowFusion& rows,
                                int most_inlined = 0);

}  // namespace frisket::codegen
