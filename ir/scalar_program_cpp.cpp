// SPDX-License-Identifier: MIT
#include "scalar_program.hpp"

#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

/// ScalarProgram as C++ source, for kernels that are compiled ahead of time.
namespace frisket::ir {

namespace {

std::string literal(double number) {
    if (std::isnan(number)) return "std::numeric_limits<double>::quiet_NaN()";
    if (std::isinf(number))
        return std::string(number < 0 ? "-" : "") + "std::numeric_limits<double>::infinity()";
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", number);
    const std::string digits(text);
    return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

/// The lowest int64 has no literal.
std::string whole_literal(std::int64_t number) {
    const bool lowest = number == std::numeric_limits<std::int64_t>::min();
    return lowest ? "-9223372036854775807 - 1" : std::to_string(number);
}

std::string reference(int number) { return "numbers[" + std::to_string(number) + "]"; }

std::string type_name(DType dtype) {
    switch (dtype) {
        case DType::boolean: return "bool";
        case DType::uint8: return "std::uint8_t";
        case DType::int32: return "std::int32_t";
        case DType::int64: return "std::int64_t";
        case DType::float32: return "float";
        case DType::float16: return "frisket::float16";
        case DType::bfloat16: return "frisket::bfloat16";
        case DType::float64: break;
    }
    return "double";
}

std::string call(OpId op, DType dtype, const std::array<int, 3>& operands) {
    std::string text = "frisket::host::apply<frisket::op::" + cpp_name(op) + ", " + type_name(dtype) + ">(";
    for (std::size_t i = 0; i < static_cast<std::size_t>(info(op).arity); ++i)
        text += (i == 0 ? "" : ", ") + reference(operands[i]);
    return text + ")";
}

}  // namespace

std::string cpp_name(OpId op) {
    std::string name;
    bool upper = true;
    for (char letter : info(op).name) {
        if (letter != '_') name += upper ? static_cast<char>(std::toupper(letter)) : letter;
        upper = letter == '_';
    }
    return name;
}

std::string ScalarProgram::cpp_expression(const Instruction& instruction) const {
    const int first = instruction.operands[0];
    const DType dtype = instruction.dtype;
    switch (instruction.kind) {
        case Kind::constant:
            if (dtype != DType::int64) return literal(instruction.constant);
            return "frisket::host::put<std::int64_t>(" +
                   whole_literal(std::bit_cast<std::int64_t>(instruction.constant)) + ")";
        case Kind::argument:
            return "frisket::host::argument<" + type_name(dtype) + ">(arguments[" + std::to_string(first) +
                   "])";
        case Kind::op: return call(instruction.op, dtype, instruction.operands);
        case Kind::convert: break;
    }
    if (instruction.from == dtype) return reference(first);
    return "frisket::host::convert<" + type_name(dtype) + ", " + type_name(instruction.from) + ">(" +
           reference(first) + ")";
}

std::string ScalarProgram::to_cpp(std::string_view name) const {
    std::string text = "void " + std::string(name) +
                       "_evaluate([[maybe_unused]] std::span<const frisket::Argument> arguments,\n"
                       "    [[maybe_unused]] double* numbers) noexcept {\n";
    for (const Instruction& instruction : instructions_) {
        text += "    " + reference(instruction.result) + " = " + cpp_expression(instruction) + ";\n";
    }
    text += "}\n\nvoid " + std::string(name) +
            "_store_states([[maybe_unused]] std::span<const frisket::Argument> arguments,\n"
            "    [[maybe_unused]] const double* numbers) noexcept {\n";
    for (const State& state : states_) {
        text += "    *arguments[" + std::to_string(state.argument) +
                "].state_slot() = " + reference(state.number) + ";\n";
    }
    return text + "}\n";
}

}  // namespace frisket::ir
