// SPDX-License-Identifier: MIT
// Splits long bodies into parts of bounded size, which compile faster.
#pragma once
#include "../graph.hpp"

#include <vector>

namespace frisket::planning {

/// A part of a long body: a graph whose results later parts read, or that are the body's.
struct BodyPart {
    Graph graph;
    /// Source of each symbol: an argument of the body, or, from the number of these on, a value that an
    /// earlier part made.
    std::vector<int> operands;
    std::vector<int> made;  ///< number of each result among the values that parts make
};

struct BodyParts {
    std::vector<BodyPart> parts;  ///< in the order in which they run
    std::vector<int> results;     ///< the results of the body: numbers of values that parts make
};

/// A body in parts of bounded size, as the time to compile one grows with the square of its operations.  Each
/// ends where few values are needed later.  Empty if the body is short: it stays whole.
/// Results have the same bits as from the whole body.
/// Cost: linear in the graph.
BodyParts parts_of(const Graph& body);

}  // namespace frisket::planning
