// SPDX-License-Identifier: MIT
#include "scalar_program.hpp"

#include <algorithm>
#include <bit>

#include "scalar_value.hpp"

/// Calls of a ScalarProgram, and programs from plain data: all of it that kernels compiled ahead of time
/// need.
namespace frisket::ir {

ScalarProgram ScalarProgram::of(const aot::NumbersTable& table) {
    ScalarProgram made;
    for (const char* const dtype : table.dtypes) made.slots_.push_back({.dtype = parse_dtype(dtype)});
    for (const aot::NumberRow& row : table.instructions) {
        Instruction& instruction = made.instructions_.emplace_back();
        instruction.kind = row.kind;
        instruction.result = row.result;
        instruction.dtype = parse_dtype(row.dtype);
        std::ranges::copy(row.operands, instruction.operands.begin());
        instruction.constant = std::bit_cast<double>(row.bits);
        if (row.kind == Kind::op) {
            instruction.op = host::operation_named(row.name);
            instruction.eval = host::operation(instruction.op, instruction.dtype);
        } else if (row.kind == Kind::convert) {
            instruction.from = parse_dtype(row.name);
            instruction.eval = instruction.operands[1] >= 0
                                   ? host::fitting_conversion
                                   : host::conversion(instruction.from, instruction.dtype);
        }
    }
    made.states_.assign(table.states.begin(), table.states.end());
    made.size_ = table.size;
    return made;
}

double ScalarProgram::held(const Node& node) {
    return node.dtype == DType::int64 ? host::put(node.integer) : node.constant;
}

std::vector<DType> ScalarProgram::dtypes() const {
    std::vector<DType> dtypes;
    for (const HostSlot& slot : slots_) dtypes.push_back(slot.dtype);
    return dtypes;
}

template <class ConstantOf>
void ScalarProgram::carry_out(std::span<const Argument> arguments, double* numbers,
                              ConstantOf constant_of) const {
    for (const Instruction& instruction : instructions_) {
        double& result = numbers[instruction.result];
        const int first = instruction.operands[0];
        switch (instruction.kind) {
            case Kind::constant: result = constant_of(instruction); break;
            case Kind::argument: {
                const Argument& argument = arguments[static_cast<std::size_t>(first)];
                result = instruction.dtype == DType::int64 ? host::argument<std::int64_t>(argument)
                                                           : argument.number();
                break;
            }
            case Kind::convert: result = instruction.eval(&numbers[first]); break;
            case Kind::op: {
                double operands[3] = {};
                for (int i = 0; i < 3; ++i) {
                    const int operand = instruction.operands[static_cast<std::size_t>(i)];
                    if (operand >= 0) operands[i] = numbers[operand];
                }
                result = instruction.eval(operands);
            }
        }
    }
}

void ScalarProgram::evaluate(std::span<const Argument> arguments, double* numbers) const {
    carry_out(arguments, numbers, [](const Instruction& instruction) { return instruction.constant; });
}

void ScalarProgram::evaluate(const Graph& graph, std::span<const Argument> arguments, double* numbers) const {
    carry_out(arguments, numbers,
              [&](const Instruction& instruction) { return held(graph[instruction.operands[0]]); });
}

void ScalarProgram::store_states(std::span<const Argument> arguments, const double* numbers) const noexcept {
    for (const aot::StateRow& state : states_) {
        *arguments[static_cast<std::size_t>(state.argument)].state_slot() = numbers[state.number];
    }
}

}  // namespace frisket::ir
