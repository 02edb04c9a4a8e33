// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <span>
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/scalar_program.hpp"
#include "../scalar/value.hpp"

/// Meanings of elementwise nodes, the same in loops of steps and of expressions.
namespace frisket::codegen {

/// A constant in the dtype of its reader.
lowering::Value constant_of(const Node& node, DType dtype);

/// Parameters of a loop that are host scalars.
class NumberParams {
public:
    /// Refers to the program.
    explicit NumberParams(const ir::ScalarProgram& program);
    /// A number in a dtype that the program has it in.
    lowering::Value read(NodeId node, DType dtype) const;
    const Halide::Param<void>& operator[](std::size_t i) const { return params_[i]; }

private:
    const ir::ScalarProgram& program_;
    std::vector<Halide::Param<void>> params_;
};

/// The meaning of one operation for operands that have its operand dtypes.
lowering::Value apply_op(OpId op, std::span<const lowering::Value> operands);

/// The value of a node of kind on, cast, to_dense or op at one element.  `operand(i)` returns operand i in
/// its operand dtype, `mask(id)` a node of bool.
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
