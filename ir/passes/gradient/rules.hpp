// SPDX-License-Identifier: MIT
#pragma once
#include "../../tensor_ops/value.hpp"

#include <optional>
#include <utility>

/// Rules by which the gradient of an instruction's result goes to its operands, one instruction at a time.  A
/// gradient is an expression: its mask says which of its elements are specified.
namespace frisket::building {

/// True if the gradient of this instruction goes on to operand `i`.
bool passes_gradient(const GraphBuilder& graph, const Node& node, int i);

/// The gradient of operand `i` of an instruction, from the gradient of its result; passes_gradient holds.
Expr operand_gradient(Expr result, int i, Expr gradient);
/// Gradients for the kinds of instructions that have a file of their own.
Expr op_gradient(Expr result, int i, Expr gradient);
Expr reduce_gradient(Expr result, int i, Expr gradient);
Expr scan_gradient(Expr result, int i, Expr gradient);

// Shared by the rules.

inline Expr operand(Expr result, int i) {
    return {result.graph, result.node().operands[static_cast<std::size_t>(i)]};
}
/// A bool operand that says "where", or nothing if it is absent.
inline std::optional<Expr> operand_or_none(Expr result, int i) {
    const Expr there = operand(result, i);
    if (there.id == no_node) return {};
    return there;
}
/// A number everywhere.
template <class Number>
Expr filled(GraphBuilder& graph, Number value, DType dtype, Shape shape) {
    return broadcast_to(cast(number(graph, value), dtype), std::move(shape));
}
/// The intersection of two masks; no mask stands for everywhere.
std::optional<Expr> both(std::optional<Expr> a, std::optional<Expr> b);
/// The gradient where `mask` is true as well.
Expr restricted(Expr gradient, std::optional<Expr> mask);

}  // namespace frisket::building
