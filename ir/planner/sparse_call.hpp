// SPDX-License-Identifier: MIT
#pragma once
#include "coordinate_set.hpp"
#include "iteration_space.hpp"

#include <deque>
#include <span>
#include <vector>

namespace frisket {

/// Results of an expression over lists as those of an expression over what the lists store.
struct SparseCall {
    Graph graph;
    std::vector<Argument> arguments;
    std::deque<AnyMasked> kept;  ///< that arguments refer to
};

/// `graph` has the nodes that `nodes` knows; its results, of which single ones are listed, work.  Masks that
/// meet have been compared.
/// Cost: linear in what the arguments store, and in the graph.
SparseCall sparse_call(Graph graph, const IterationSpaceAnalysis& nodes, const CoordinateSet& places,
                       std::span<const Argument> arguments);

}  // namespace frisket
