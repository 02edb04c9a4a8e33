// SPDX-License-Identifier: MIT
// Names the operands of an expression in error messages.
#pragma once
#include "../graph.hpp"

#include <string>
#include <vector>

namespace frisket::ir {

/// A message about symbols x0, x1, … of an expression over tensors, which its user has not named: each is
/// named by its index among the operands of the operation that combines the two symbols of the message, or of
/// the first operation that uses it, "operand 1 of add (shape [2, 4], layout coo)", and "operand 1 of add"
/// from then on.
/// `stored`: for each tensor, the text in the parentheses.
std::string with_operands_named(const std::string& message, const Graph& graph,
                                const std::vector<std::string>& stored);

}  // namespace frisket::ir
