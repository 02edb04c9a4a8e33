// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <optional>
#include <vector>

#include "../../ir/graph.hpp"
#include "expression_input.hpp"
#include "expression_pattern.hpp"
#include "specialization.hpp"

namespace frisket::codegen {

/// The loops that a graph over whole tensors takes: for all graphs of a pattern.
struct BodyLoops {
    /// The graph that the loops walk, if it is another: over tensors of one dimension, if that is all it
    /// needs, or without instructions that make equal elements.
    std::optional<Graph> walked = {};
    Pattern pattern = {};
    Specialization form = {};
};

/// The form of a graph's loops.  `inputs`: the form of each symbol; inputs become tensors of one dimension
/// where the graph does.
/// Errors: ShapeError if loops cannot index a tensor.
BodyLoops loops_of_body(const Graph& graph, std::vector<LoopInput>& inputs, int lanes);

}  // namespace frisket::codegen
