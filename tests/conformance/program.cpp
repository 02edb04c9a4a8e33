// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "operations.hpp"

#include <algorithm>

using namespace frisket;

namespace conformance {

namespace {

/// Turns a program into a graph, line by line.
class Translator {
public:
    explicit Translator(const std::vector<Input>& inputs) {
        for (std::size_t i = 0; i < inputs.size(); ++i) input("x" + std::to_string(i), inputs[i]);
    }

    void add(const Instruction& line) {
        std::vector<Value> operands;
        Shape shape;
        bool first = true;
        for (const std::string& name : line.args) {
            const Result& argument = results_.at(name);
            operands.push_back({&builder_, argument.node});
            if (!argument.is_number) shape = first ? argument.shape : meet(shape, argument.shape);
            first = first && argument.is_number;
        }
        results_[line.out] = {.node = make(line, operands), .shape = shape, .is_number = first};
    }

    Step finish(const std::vector<std::string>& outputs) {
        Step step;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const Result& result = results_.at(outputs[i]);
            const Node& node = builder_[result.node];
            const bool is_masked = node.mask != no_node;
            const std::string name = "out" + std::to_string(i);
            const DType dtype = strong(node.type()).dtype;
            step.dtypes.push_back(dtype);
            step.shapes.push_back(result.shape);
            step.masked.push_back(is_masked);
            builder_.symbol(name, SymbolKind::in_out, dtype);
            builder_.update(name, result.node, is_masked ? Scope::inferred : Scope::everywhere);
        }
        step.graph = builder_.finish();
        return step;
    }

private:
    struct Result {
        NodeId node = no_node;
        Shape shape;
        bool is_number = false;
    };

    void input(const std::string& name, const Input& value) {
        const auto symbol = [&](SymbolKind kind) { return builder_.symbol(name, kind, value.dtype); };
        if (value.kind == ValueKind::scalar) {
            const bool is_bool = value.dtype == DType::boolean;
            const NodeId node = is_bool ? builder_.constant(value.number != 0) : symbol(SymbolKind::scalar);
            results_[name] = {.node = node, .shape = {}, .is_number = true};
        } else {
            const auto kind = value.kind == ValueKind::masked ? SymbolKind::masked : SymbolKind::in;
            results_[name] = {.node = symbol(kind), .shape = value.shape()};
        }
    }

    static Shape meet(const Shape& a, const Shape& b) {
        try {
            return broadcast(a, b);
        } catch (const ShapeError&) { return a; }
    }

    NodeId make(const Instruction& line, std::span<const Value> operands) {
        const ir::Attributes attrs = attributes_of(line.attrs);
        return ir::apply_operation({.name = line.op, .graph = builder_, .args = operands, .attrs = attrs})
            .at(0)
            .id;
    }

    GraphBuilder builder_{"case"};
    std::map<std::string, Result> results_;
};

}  // namespace

Program program_of(const Json& test) {
    Program program;
    const Json& attrs = test.at("attrs");
    if (attrs.contains("program")) {
        for (const Json& line : attrs.at("program"))
            program.instructions.push_back(
                {line.at("op"), line.at("args"), line.at("attrs"), line.at("out")});
        const auto outputs = attrs.find("outputs");
        program.outputs = outputs != attrs.end() ? outputs->get<std::vector<std::string>>()
                                                 : std::vector<std::string>{attrs.at("output")};
    } else {
        Instruction line{.op = test.at("op"), .args = {}, .attrs = attrs, .out = "out"};
        for (std::size_t i = 0; i < test.at("inputs").size(); ++i)
            line.args.push_back("x" + std::to_string(i));
        program = {.instructions = {line}, .outputs = {"out"}};
    }
    return program;
}

bool is_step(const Program& program, const Json& inputs) {
    const auto is_whole = [](const Json& input) { return !info_of(dtype_of(input)).is_float; };
    const bool any_whole = std::ranges::any_of(inputs, is_whole);
    const auto checks = [&](const std::string& row) {
        return any_whole && info_of(find_op(row)).check != ValueCheck::none;
    };
    return std::ranges::all_of(program.instructions, [&](const Instruction& line) {
        const ir::Operation& operation = ir::find_operation(line.op, attributes_of(line.attrs));
        return operation.is_elementwise() && std::ranges::none_of(*operation.rows, checks);
    });
}

Step step_of(const Program& program, const std::vector<Input>& inputs,
             const std::vector<std::string>& outputs) {
    Translator translator(inputs);
    for (const Instruction& line : program.instructions) translator.add(line);
    return translator.finish(outputs);
}

}  // namespace conformance
