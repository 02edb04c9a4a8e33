// SPDX-License-Identifier: MIT
#include "host_numbers.hpp"

#include <cctype>
#include <cmath>
#include <cstdio>

/// HostNumbers as C++ source, for kernels that are compiled ahead of time.
namespace frisket {

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

std::string reference(int number) { return "numbers[" + std::to_string(number) + "]"; }

std::string call(OpId op, const std::array<int, 3>& operands) {
    std::string text = "frisket::op::" + cpp_name(op) + "::eval(";
    for (std::size_t i = 0; i < static_cast<std::size_t>(info(op).arity); ++i) {
        const bool condition = info(op).dtype == DTypeRule::branches && i == 0;
        text += (i == 0 ? "" : ", ") + reference(operands[i]) + (condition ? " != 0" : "");
    }
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

std::string HostNumbers::cpp_expression(const Instruction& instruction) const {
    const int first = instruction.operands[0];
    switch (instruction.kind) {
        case Kind::constant: return literal(instruction.constant);
        case Kind::argument: return "arguments[" + std::to_string(first) + "].number()";
        case Kind::op: return "static_cast<double>(" + call(instruction.op, instruction.operands) + ")";
        case Kind::convert: break;
    }
    if (instruction.dtype == DType::float32) {
        return "static_cast<double>(static_cast<float>(" + reference(first) + "))";
    }
    return instruction.dtype == DType::boolean ? "static_cast<double>(" + reference(first) + " != 0)"
                                               : reference(first);
}

std::string HostNumbers::to_cpp(std::string_view name) const {
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

}  // namespace frisket
