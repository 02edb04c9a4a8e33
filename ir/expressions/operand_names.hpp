// SPDX-License-Identifier: MIT
// Names the operands of an expression in error messages.
#pragma once
#include "../graph.hpp"

#include <string>
#include <vector>

namespace frisket::ir {

/// A message about symbols x0, x1, … of an expression over tensors, which its user has not named: each is
/// called by its place in the operation where the two that the message is about meet, or where it is first
/// used, "operand 1 of add (shape [2, 4], layout coo)", and "operand 1 of add" from then on.
/// `stored`: of each tensor, what stands in the parentheses.
std::string with_operands_named(const std::string& message, const Graph& graph,
                                const std::vector<std::string>& stored);

}  // namespace frisket::ir
