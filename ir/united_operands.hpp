// SPDX-License-Identifier: MIT
// Recognizes operations that unite the masks of their operands.
#pragma once
#include "graph.hpp"

#include <array>
#include <optional>

namespace frisket::ir {

/// The operands of an operation that GraphBuilder::apply has made by MaskMode::unite from two masked
/// operands: one of them passes through where only it is specified.  Nothing if a node is no such operation.
std::optional<std::array<NodeId, 2>> united_operands(const Graph& graph, NodeId id, OpId op);

}  // namespace frisket::ir
