// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <span>

#include "../../ir/graph.hpp"
#include "../scalar/value.hpp"

/// Meanings of elementwise nodes, the same in loops of steps and of expressions.
namespace frisket::codegen {

/// The meaning of one operation for operands that have its operand dtypes.
lowering::Value apply_op(OpId op, std::span<const lowering::Value> operands);

/// The value of a node of kind on, cast, to_dense or op at one element.  `operand(i)` gives operand i in its
/// operand dtype, `mask(id)` a node of bool.
lowering::Value lower_elementwise(const Graph& graph, const Node& node, const auto& operand,
                                  const auto& mask) {
    if (node.kind == NodeKind::on) return operand(0);
    if (node.kind == NodeKind::cast) return lowering::convert(operand(0), node.dtype);
    if (node.kind == NodeKind::to_dense)
        return lowering::select(mask(graph[node.operands[0]].mask), operand(0), operand(1));
    std::vector<lowering::Value> operands;
    for (int i = 0; i < info_of(node.op).arity; ++i) operands.push_back(operand(i));
    return apply_op(node.op, operands);
}

}  // namespace frisket::codegen
