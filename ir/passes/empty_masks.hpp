// SPDX-License-Identifier: MIT
// Replaces values that are specified nowhere by 0.
#pragma once
#include "../graph.hpp"

#include <optional>
#include <vector>

namespace frisket::ir {

/// True for the constants 0 and false.
inline bool is_zero(const Node& node) {
    return node.kind == NodeKind::constant && node.constant == 0 && node.integer == 0;
}

/// True for each value whose instructions show that it is 0, or false, everywhere.
std::vector<bool> zero_everywhere(const Graph& graph);

/// The graph with 0 for values that are specified nowhere, which nothing reads: their operands are not
/// computed.  Nothing without such values.
/// Shape: `graph` has shapes and no updates.
/// Cost: linear in the graph.
std::optional<Graph> without_unspecified_values(const Graph& graph);

}  // namespace frisket::ir
