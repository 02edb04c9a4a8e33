// SPDX-License-Identifier: MIT
#include "print.hpp"

#include "../../ir/at.hpp"
#include "ahead.hpp"

#include <cmath>
#include <limits>
#include <sstream>

namespace fuzz {

using ir::at;

namespace {

std::string number_text(double number) {
    if (std::isnan(number)) return "std::nan(\"\")";
    if (std::isinf(number)) return number > 0 ? "infinity" : "-infinity";
    std::ostringstream text;
    text.precision(17);
    text << number;
    const std::string plain = text.str();
    return plain.find_first_of(".e") == std::string::npos ? plain + ".0" : plain;
}

template <class T>
std::string element_text(T element) {
    if constexpr (std::is_same_v<T, bool>)
        return element ? "true" : "false";
    else if constexpr (std::is_floating_point_v<T>)
        return number_text(element) + (sizeof(T) == 4 && std::isfinite(element) ? "f" : "");
    else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
        return std::string(std::is_same_v<T, float16> ? "float16(" : "bfloat16(") +
               number_text(static_cast<float>(element)) + ")";
    else if constexpr (std::is_integral_v<T>) {
        if (element == std::numeric_limits<T>::min() && element != 0)
            return "std::numeric_limits<" + std::string(sizeof(T) == 4 ? "int" : "std::int64_t") + ">::min()";
        return std::to_string(element);
    }
}

std::string_view type_text(DType dtype) {
    switch (dtype) {
        case DType::boolean: return "bool";
        case DType::int32: return "std::int32_t";
        case DType::int64: return "std::int64_t";
        case DType::float32: return "float";
        case DType::uint8: return "std::uint8_t";
        case DType::float16: return "float16";
        case DType::bfloat16: return "bfloat16";
        default: return "double";
    }
}

std::string dtype_text(DType dtype) {
    return "DType::" + std::string(dtype == DType::boolean ? "boolean" : name_of(dtype));
}

template <class List>
std::string list_text(const List& list) {
    std::string text = "{";
    for (const auto& element : list) text += (text.size() > 1 ? ", " : "") + std::to_string(element);
    return text + "}";
}

std::string tensor_text(const AnyTensor& tensor) {
    constexpr std::int64_t most = 4096;  // the program has the remaining parts
    if (tensor.size() > most)
        return "/* of the program's data */ Tensor<" + std::string(type_text(tensor.dtype())) + ">(" +
               list_text(tensor.shape()) + ")";
    std::string text =
        "Tensor<" + std::string(type_text(tensor.dtype())) + ">(" + list_text(tensor.shape()) + ", {";
    dispatch(tensor.dtype(), [&]<class T>() {
        const auto* elements = static_cast<const T*>(tensor.data());
        for (std::int64_t i = 0; i < tensor.size(); ++i)
            text += (i > 0 ? ", " : "") + element_text(elements[i]);
    });
    return text + "})";
}

std::string_view lies_text(Lies lies) {
    constexpr std::string_view names[] = {"rows",   "transposed", "sliced",  "reversed",
                                          "padded", "repeated",   "shifted", "page_end"};
    return names[static_cast<std::size_t>(lies)];
}

std::string_view listed_text(Listed listed) {
    return listed == Listed::shuffled ? "out of order" : "out of order, with duplicates";
}

/// A list of the same shape and number of elements; the program has its indices and values.
std::string list_input_text(const AnyMasked& list) {
    const std::string stored = std::to_string(list.specified_count());
    return "/* of the program's data */ AnyMasked::coo(" + list_text(list.shape()) +
           ", Tensor<std::int64_t>({" + std::to_string(list.rank()) + ", " + stored + "}), Tensor<" +
           std::string(type_text(list.dtype())) + ">({" + stored + "})).to(parse_layout(\"" +
           std::string(name_of(list.layout())) + "\"))";
}

void put_input(std::ostream& out, const Input& input, int i) {
    const std::string name = "t" + std::to_string(i);
    if (input.lies != Lies::rows) out << "    // " << name << " lies " << lies_text(input.lies) << "\n";
    if (input.is_prepared) out << "    // " << name << " is prepared\n";
    const bool is_list = input.layout == Layout::coo || input.layout == Layout::rows;
    if (input.mask && is_list && input.listed != Listed::ascending)
        out << "    // " << name << " lists its entries " << listed_text(input.listed) << "\n";
    if (input.same_as >= 0) {
        const char* const end = input.is_turned ? ".transpose(-2, -1);\n" : ";\n";
        out << (input.is_turned ? "    const AnyTensor " : "    const auto& ") << name << " = t"
            << input.same_as << end;
        return;
    }
    if (input.takes != Takes::tensor) {
        const bool is_whole = input.values.dtype() == DType::int64;
        out << (input.takes == Takes::state ? "    double " : "    const auto ") << name << " = "
            << (is_whole ? std::to_string(*static_cast<const std::int64_t*>(input.values.data()))
                         : number_text(*static_cast<const double*>(input.values.to(DType::float64).data())))
            << ";\n";
        return;
    }
    if (input.list) {
        out << "    const AnyMasked " << name << " = " << list_input_text(*input.list) << ";\n";
        return;
    }
    if (!input.mask) {
        out << "    const AnyTensor " << name << " = " << tensor_text(input.values) << ";\n";
        return;
    }
    out << "    const AnyMasked " << name << " =\n        AnyMasked::strided(" << tensor_text(input.values)
        << ",\n                           " << tensor_text(*input.mask) << ")";
    if (input.layout != Layout::strided) out << ".to(parse_layout(\"" << name_of(input.layout) << "\"))";
    out << ";\n";
}

std::string value_text(int operand) {
    return operand < 0 ? "x" + std::to_string(-1 - operand) : "y" + std::to_string(operand);
}

void replace(std::string& text, std::string_view from, const std::string& to) {
    for (auto found = text.find(from); found != std::string::npos; found = text.find(from, found + to.size()))
        text.replace(found, from.size(), to);
}

std::string call_text(const Instruction& one) {
    std::string text(forms()[at(one.form)].text);
    for (std::size_t i = 0; i < one.operands.size(); ++i)
        replace(text, "x[" + std::to_string(i) + "]", value_text(one.operands[i]));
    constexpr std::string_view modes[] = {"equal", "intersection", "unite"};
    replace(text, "with.op", "find_op(\"" + std::string(info_of(one.op).name) + "\")");
    replace(text, "with.mode", "MaskMode::" + std::string(modes[static_cast<std::size_t>(one.mode)]));
    replace(text, "*with.dim", std::to_string(one.dim.value_or(0)));
    replace(text, "with.dims", one.dims ? "std::vector<int>" + list_text(*one.dims) : "{}");
    replace(text, "with.dim", one.dim ? std::to_string(*one.dim) : "{}");
    replace(text, "with.flag", one.flag ? "true" : "false");
    replace(text, "with.number", number_text(one.number));
    replace(text, "with.shape", list_text(one.shape));
    replace(text, "with.dtype", dtype_text(one.dtype));
    replace(text, "with.a", "std::int64_t{" + std::to_string(one.a) + "}");
    replace(text, "with.b", "std::int64_t{" + std::to_string(one.b) + "}");
    replace(text, "session->", "session.");
    return text;
}

std::string symbol_text(const Program& program, int i) {
    const Input& input = program.inputs[at(i)];
    const std::string t = "t" + std::to_string(i);
    if (!program.is_step())
        return std::string(input.mask || input.list ? "session.masked(" : "session.tensor(") + t + ")";
    const std::string kind = input.takes == Takes::number  ? "scalar"
                             : input.takes == Takes::state ? "scalar_state"
                             : input.mask                  ? "masked"
                             : is_target(program, i)       ? "in_out"
                                                           : "in";
    return "{&graph, graph.symbol(\"" + t + "\", SymbolKind::" + kind + ", " +
           dtype_text(input.values.dtype()) +
           (program.as == RunAs::step ? ", " + list_text(input.values.shape()) : "") + ")}";
}

void put_update(std::ostream& out, const Target& target) {
    out << "    graph.update(\"t" << target.input << "\", " << value_text(target.value) << ".id"
        << (target.is_everywhere ? ", Scope::everywhere" : "") << ");\n";
}

/// Updates before their readers, and the symbol as it is then.
void put_early(std::ostream& out, const Program& program, int value) {
    for (const Target& target : program.targets) {
        if (!target.is_early || target.value != value) continue;
        put_update(out, target);
        out << "    x" << target.input << " = " << symbol_text(program, target.input) << ";\n";
    }
}

std::string graph_text(const Program& program) {
    if (program.rounded < 0) return "graph.finish()";
    return "stochastic_rounding(graph.finish(), \"t" + std::to_string(program.rounded) + "\")";
}

std::string compiled_call(const Program& program) {
    if (program.as == RunAs::step) return "run_step(graph.finish(), arguments)";
    return "jit(" + graph_text(program) +
           (program.schedule.empty() ? "" : ", schedule(\"" + program.schedule + "\")") + ").call(arguments)";
}

void put_end(std::ostream& out, const Program& program) {
    if (program.is_step()) {
        for (const int skip : program.skips)
            out << "    graph.skip_nonfinite(" << value_text(skip) << ".id);\n";
        for (const Target& target : program.targets)
            if (!target.is_early || target.value < 0) put_update(out, target);
        out << "    const std::vector<Argument> arguments{";
        for (std::size_t i = 0; i < program.inputs.size(); ++i)
            out << (i > 0 ? ", " : "")
                << (program.inputs[i].takes == Takes::state ? "Argument::state(t" : "t") << i
                << (program.inputs[i].takes == Takes::state ? ")" : "");
        if (program.rounded >= 0)
            out << ", std::int64_t{" << program.seed << "}, std::int64_t{" << program.step << "}";
        out << "};\n    compiled ? " << compiled_call(program) << " : interpret(" << graph_text(program)
            << ", arguments);\n";
        for (const Target& target : program.targets)
            out << "    std::cout << t" << target.input << " << \"\\n\";\n";
        return;
    }
    out << "    const std::vector<Value> results{";
    for (std::size_t i = 0; i < program.results.size(); ++i)
        out << (i > 0 ? ", " : "") << value_text(program.results[i]);
    out << "};\n    for (const Result& result : session.run(results)) {\n"
           "        std::cout << result.values << \"\\n\";\n"
           "        if (result.mask) std::cout << \"mask \" << *result.mask << \"\\n\";\n    }\n";
}

constexpr std::string_view head = R"(#include "codegen/jit/evaluate.hpp"
#include "codegen/jit/jit.hpp"
#include "codegen/jit/run_step.hpp"
#include "ir/passes/transforms.hpp"
#include "ir/expressions/expression_context.hpp"

#include <cmath>
#include <iostream>
#include <limits>

using namespace frisket;
using namespace frisket::ir;
constexpr double infinity = std::numeric_limits<double>::infinity();
)";

}  // namespace

std::string calls_of(const Program& program) {
    std::string text;
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        const Input& input = program.inputs[i];
        const AnyTensor& values = input.list ? input.list->values() : input.values;
        text += "x" + std::to_string(i) + ": " +
                std::string(input.list   ? name_of(input.list->layout())
                            : input.mask ? "masked"
                                         : "dense") +
                " " + std::string(name_of(values.dtype())) + " " +
                to_string(input.list ? input.list->shape() : values.shape()) + "\n";
    }
    for (std::size_t i = 0; i < program.instructions.size(); ++i)
        text += "y" + std::to_string(i) + " = " + call_text(program.instructions[i]) + "\n";
    return text;
}

std::string cpp_of(const Program& program) {
    std::ostringstream out;
    if (program.as == RunAs::ahead)
        out << "// " << kernels_ahead()[at(program.ahead)].name
            << ", compiled ahead of time, of these tensors\n";
    out << head << "\nvoid run(bool compiled) {\n";
    for (std::size_t i = 0; i < program.inputs.size(); ++i)
        put_input(out, program.inputs[i], static_cast<int>(i));
    if (program.is_step())
        out << "    GraphBuilder graph(\"fuzz\");\n";
    else
        out << "    const auto jit = [](const Graph& graph, std::span<const Argument> arguments) {\n"
               "        return jit_evaluate(graph, arguments);\n    };\n"
               "    ExpressionContext session(\"fuzz\", compiled ? ExpressionContext::Evaluate(jit) : "
               "&evaluate);\n";
    for (std::size_t i = 0; i < program.inputs.size(); ++i)
        out << "    " << (program.is_step() ? "" : "const ") << "Value x" << i << " = "
            << symbol_text(program, static_cast<int>(i)) << ";\n";
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        out << "    const Value y" << i << " = " << call_text(program.instructions[i]) << ";\n";
        put_early(out, program, static_cast<int>(i));
    }
    put_end(out, program);
    out << "}\n\nint main() {\n    run(false);\n    run(true);\n}\n";
    return out.str();
}

}  // namespace fuzz
