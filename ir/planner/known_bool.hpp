// SPDX-License-Identifier: MIT
// Simplifies a conjunction or disjunction of two bools to a node of the graph.
#pragma once
#include "../graph.hpp"

#include <optional>

namespace frisket::planning {

/// The node of a graph that a conjunction or a disjunction of two of its bools equals, if it is there: for
/// a & a, a & (a | b), (a & b) | (a & !b).  `like`: a node with the operation and the shape.
std::optional<NodeId> known_bool(const Graph& graph, const Node& like, NodeId a, NodeId b);

}  // namespace frisket::planning
