// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "elementwise.hpp"

#include <array>
#include <string>

#include "../../ir/ops/meanings.hpp"

namespace frisket::codegen {

using lowering::Value;

namespace {

/// The meaning of one operation in Values.
template <class Op>
Value apply(std::span<const Value> operands) {
    if constexpr (Op::info.arity == 1)
        return op::Meaning<Op>::eval(operands[0]);
    else if constexpr (Op::info.arity == 2)
        return op::Meaning<Op>::eval(operands[0], operands[1]);
    else
        return op::Meaning<Op>::eval(operands[0], operands[1], operands[2]);
}

using Lowering = Value (*)(std::span<const Value>);

template <class... Op>
constexpr std::array<Lowering, sizeof...(Op)> lowerings_of(OpList<Op...>) {
    return {&apply<Op>...};
}

constexpr auto lowerings = lowerings_of(Ops{});

}  // namespace

Value constant_of(const Node& node, DType dtype) {
    return node.dtype == DType::int64 ? lowering::constant(node.integer, dtype)
                                      : lowering::constant(node.constant, dtype);
}

NumberParams::NumberParams(const ir::ScalarProgram& program) : program_(program) {
    for (const ir::HostSlot& slot : program.slots())
        params_.emplace_back(lowering::memory_type(slot.dtype), "number_" + std::to_string(params_.size()));
}

Value NumberParams::read(NodeId node, DType dtype) const {
    return lowering::from_memory(params_[program_.slot(node, dtype)], dtype);
}

Value apply_op(OpId op, std::span<const Value> operands) {
    info_of(op);  // refuses a node that is no operation
    if (op == op_id<op::BitwiseAnd> && !operands[0].expr.type().is_bool()) {
        std::array<Value, 2> known{operands[0], operands[1]};
        for (Value& one : known)
            if (Halide::Internal::is_const(one.expr)) one.expr = lowering::opaque_mask(one.expr);
        return apply<op::BitwiseAnd>(known);
    }
    return lowerings[static_cast<std::size_t>(op)](operands);
}

}  // namespace frisket::codegen
