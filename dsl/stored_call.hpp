// SPDX-License-Identifier: MIT
#pragma once
#include "stored_graph.hpp"
#include "stored_places.hpp"

#include <deque>
#include <span>
#include <vector>

namespace frisket {

/// Results of an expression over lists as those of an expression over what the lists store.
struct StoredCall {
    Graph graph;
    std::vector<Argument> arguments;
    std::deque<AnyMasked> kept;  ///< that arguments refer to
};

/// `graph` has the nodes that `nodes` knows; its results, of which single ones are listed, work.  Masks that
/// meet have been compared.
/// Cost: linear in what the arguments store, and in the graph.
StoredCall stored_call(Graph graph, const StoredNodes& nodes, const Places& places,
                       std::span<const Argument> arguments);

}  // namespace frisket
