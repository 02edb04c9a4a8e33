// SPDX-License-Identifier: MIT
// Chooses the nodes that loops store instead of computing them at each use.
#pragma once
#include <set>

#include "reduction_fusion.hpp"
#include "row_fusion.hpp"

namespace frisket::codegen {

/// Nodes that are computed once and read from memory.  Loops compute all other nodes at each read; with reads
/// at many indices, or loads within indices of loads, the loops would grow exponentially, and so would the
/// time to compile.
/// Chains of elementwise operations that one loop reads at one index stay in it.
/// Nodes that are computed with a row of the result are stored sooner: they stay in cache.
/// `most_inlined`: operations that all readers of a node may hold together before it is stored; 0: some
/// hundred.
std::set<NodeId> nodes_to_store(const Graph& graph, const ReductionGroups& groups, const RowFusion& rows,
                                int most_inlined = 0);

}  // namespace frisket::codegen
