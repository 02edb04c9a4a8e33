// SPDX-License-Identifier: MIT
// Declares the gradient rules of instructions.
#pragma once
#include "../../tensor_ops/value.hpp"

#include <optional>
#include <utility>

/// Rules by which the gradient of an instruction's result goes to its operands, one instruction at a time.  A
/// gradient is an expression: its mask is true for its specified elements.
namespace frisket::ir {

/// True if the gradient of this instruction goes on to operand `i`.
bool passes_gradient(const GraphBuilder& graph, const Node& node, int i);

/// The gradient of operand `i` of an instruction, from the gradient of its result; passes_gradient holds.
Value operand_gradient(Value result, int i, Value gradient);
/// Gradients for the kinds of instructions that have a file of their own.
Value op_gradient(Value result, int i, Value gradient);
Value reduce_gradient(Value result, int i, Value gradient);
Value scan_gradient(Value result, int i, Value gradient);

// Shared by the rules.

inline Value operand(Value result, int i) {
    return {result.graph, result.node().operands[static_cast<std::size_t>(i)]};
}
/// A bool operand `where`, or nothing if it is absent.
inline std::optional<Value> operand_or_none(Value result, int i) {
    const Value there = operand(result, i);
    if (there.id == no_node) return {};
    return there;
}
/// A number everywhere.
template <class Number>
Value filled(GraphBuilder& graph, Number value, DType dtype, Shape shape) {
    return broadcast_to(cast(number(graph, value), dtype), std::move(shape));
}
/// The intersection of two masks; no mask means everywhere.
std::optional<Value> both(std::optional<Value> a, std::optional<Value> b);
/// The gradient where `mask` is true as well.
Value restricted(Value gradient, std::optional<Value> mask);

}  // namespace frisket::ir
