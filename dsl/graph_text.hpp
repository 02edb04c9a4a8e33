// SPDX-License-Identifier: MIT
#pragma once
#include "graph.hpp"

#include <string>

namespace frisket {

/// The shortest text that reads back as the same number.
std::string number_text(double number);
/// A node as an expression, "mul(lr, grad)", for messages; `...` stands for what lies deeper than `depth`
/// calls.
std::string expression_text(const Graph& graph, NodeId id, int depth = 3);

}  // namespace frisket
