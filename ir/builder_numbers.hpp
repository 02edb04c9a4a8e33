// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "graph.hpp"

#include <optional>
#include <span>
#include <string_view>

/// Rules of GraphBuilder for host scalars that elements of a dtype cannot hold.
namespace frisket::ir {

/// A comparison of elements with a number that they may not hold, as the numbers themselves compare; nothing
/// if the number is a constant that they hold, or the operation compares nothing.  `common` is the dtype of
/// the operands.
std::optional<NodeId> compared_with_number(GraphBuilder& graph, OpId op, std::span<const NodeId> operands,
                                           DType common, MaskMode mode);
/// Refuses constants among the operands that elements of the dtype cannot hold.  Errors: DTypeError.
void check_numbers(const GraphBuilder& graph, OpId op, std::span<const NodeId> operands, DType common);
/// Refuses a constant that elements of the dtype cannot hold; the argument `what` names its operand.
void check_number(const GraphBuilder& graph, DType dtype, NodeId number, std::string_view what);

}  // namespace frisket::ir
