// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>
#include <functional>
#include <set>

using namespace frisket;

namespace conformance {

namespace {

using Operands = std::vector<NodeId>;
using Make = std::function<NodeId(GraphBuilder&, const Operands&, const Json&)>;

/// An operation of the cases that is more than a row of the table.
struct Special {
    std::set<std::string> attrs;
    Make make;
};

NodeId constant(GraphBuilder& b, const Json& json) {
    if (json.is_number_integer()) return b.constant(json.get<std::int64_t>());
    return b.constant(number_of(json));
}

/// a + alpha * b, or a - alpha * b.
template <class Op>
NodeId with_alpha(GraphBuilder& b, const Operands& x, const Json& attrs) {
    if (!attrs.contains("alpha")) return b.apply<Op>({x[0], x[1]});
    return b.apply<Op>({x[0], b.apply<op::Mul>({x[1], constant(b, attrs.at("alpha"))})});
}

const std::map<std::string, Special>& specials() {
    static const std::map<std::string, Special> table = {
        {"add", {{"alpha"}, with_alpha<op::Add>}},
        {"sub", {{"alpha"}, with_alpha<op::Sub>}},
        {"positive", {{}, [](GraphBuilder&, const Operands& x, const Json&) { return x[0]; }}},
        {"construct", {{}, [](GraphBuilder&, const Operands& x, const Json&) { return x[0]; }}},
        {"make", {{}, [](GraphBuilder&, const Operands& x, const Json&) { return x[0]; }}},
        {"get_mask", {{}, [](GraphBuilder& b, const Operands& x, const Json&) { return b.mask_of(x[0]); }}},
        {"mask_like", {{}, [](GraphBuilder& b, const Operands& x, const Json&) { return b.on(x[1], x[0]); }}},
        {"to_tensor",
         {{"fill"},
          [](GraphBuilder& b, const Operands& x, const Json& attrs) {
              return b.to_dense(x[0], constant(b, attrs.at("fill")));
          }}},
    };
    return table;
}

bool is_row(const std::string& name) {
    return std::ranges::find(op_table(), name, &OpInfo::name) != op_table().end();
}

void check_exists(const Instruction& line) {
    const auto special = specials().find(line.op);
    if (special == specials().end() && !is_row(line.op)) throw Skip{"operation " + line.op};
    for (const auto& [name, value] : line.attrs.items()) {
        if (special == specials().end() || !special->second.attrs.contains(name))
            throw Skip{"attribute " + name};
    }
}

/// Turns a program into a graph, line by line.
class Translator {
public:
    explicit Translator(const std::vector<Value>& inputs) {
        for (std::size_t i = 0; i < inputs.size(); ++i) input("x" + std::to_string(i), inputs[i]);
    }

    void add(const Instruction& line) {
        Operands operands;
        Shape shape;
        bool first = true;
        for (const std::string& name : line.args) {
            const Result& argument = results_.at(name);
            operands.push_back(argument.node);
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

    void input(const std::string& name, const Value& value) {
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

    NodeId make(const Instruction& line, const Operands& operands) {
        if (const auto special = specials().find(line.op); special != specials().end()) {
            return special->second.make(builder_, operands, line.attrs);
        }
        return builder_.apply(find_op(line.op), operands);
    }

    GraphBuilder builder_{"case"};
    std::map<std::string, Result> results_;
};

}  // namespace

Program program_of(const Json& test) {
    Program program;
    const Json& attrs = test.at("attrs");
    if (test.at("op") == "program") {
        for (const Json& line : attrs.at("program")) {
            program.instructions.push_back(
                {line.at("op"), line.at("args"), line.at("attrs"), line.at("out")});
        }
        program.outputs = attrs.at("outputs");
    } else {
        Instruction line{.op = test.at("op"), .args = {}, .attrs = attrs, .out = "out"};
        // make(data, mask) has one input when it runs: the masked tensor that the library made of both.
        const std::size_t count = line.op == "make" ? 1 : test.at("inputs").size();
        for (std::size_t i = 0; i < count; ++i) line.args.push_back("x" + std::to_string(i));
        program = {.instructions = {line}, .outputs = {"out"}};
    }
    for (const Instruction& line : program.instructions) check_exists(line);
    return program;
}

Step step_of(const Program& program, const std::vector<Value>& inputs,
             const std::vector<std::string>& outputs) {
    Translator translator(inputs);
    for (const Instruction& line : program.instructions) translator.add(line);
    return translator.finish(outputs);
}

}  // namespace conformance
