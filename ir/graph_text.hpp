// SPDX-License-Identifier: MIT
// Writes numbers and nodes of graphs as text, for messages.
#pragma once
#include "graph.hpp"

#include <functional>
#include <map>
#include <string>

namespace frisket::ir {

/// The shortest text that reads back as the same number.
std::string number_text(double number);
/// Names of an expression's instructions besides their own: calls that consist of several, and symbols by
/// their descriptions.
struct WrittenNames {
    const std::map<NodeId, WrittenCall>& calls;
    const std::function<std::string(const Symbol&)>& title;
};

/// A node as an expression, "mul(lr, grad)", for messages; `...` replaces operands deeper than `depth` calls.
std::string expression_text(const Graph& graph, NodeId id, int depth = 3,
                            const WrittenNames* names = nullptr);

}  // namespace frisket::ir
