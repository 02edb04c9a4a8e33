// SPDX-License-Identifier: MIT
#include "expression.hpp"

#include "../../ir/passes/gradient/gradient.hpp"
#include "gradcheck_functions.hpp"
#include "operations.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>

using namespace frisket;

namespace conformance {

namespace {

Value bind(ir::ExpressionContext& session, const Input& value) {
    switch (value.kind) {
        case ValueKind::dense: return session.tensor(value.tensor);
        case ValueKind::masked: return session.masked(value.masked);
        case ValueKind::scalar: break;
    }
    if (value.dtype == DType::boolean) return session.number(value.number != 0);
    return value.dtype == DType::int64 ? session.number(value.integer) : session.number(value.number);
}

/// The names of a program and their values: one expression, or the parts of `split`.
using Names = std::map<std::string, std::vector<Value>>;

Names build_program(ir::ExpressionContext& session, const Program& program,
                    const std::vector<Input>& inputs) {
    Names names;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        names["x" + std::to_string(i)] = {bind(session, inputs[i])};
    for (const Instruction& line : program.instructions) {
        std::vector<Value> args;
        for (const std::string& name : line.args) args.push_back(names.at(name).at(0));
        const ir::Attributes attrs = attributes_of(line.attrs);
        names[line.out] = ir::apply_operation({.name = line.op,
                                               .graph = session.graph(),
                                               .args = args,
                                               .attrs = attrs,
                                               .reader = session.reader()});
    }
    return names;
}

/// The gradients of a program's output; its inputs end with the upstream gradient if there is one.
std::vector<Value> gradients_of(const Json& test, const Names& names) {
    const Json& attrs = test.at("attrs");
    std::vector<Value> wrt;
    for (const std::string name : attrs.at("wrt")) wrt.push_back(names.at(name).at(0));
    const Value output = names.at(attrs.at("output")).at(0);
    const auto found = names.find("x" + std::to_string(test.at("inputs").size()));
    const auto upstream = found == names.end() ? std::optional<Value>() : found->second.at(0);
    const bool has_unused = test.at("id").get<std::string>().starts_with("autograd/backward/unused/");
    return ir::gradient(output, wrt, upstream, has_unused ? ir::Unused::allowed : ir::Unused::refused);
}

ir::GradcheckReport gradcheck_of(const Json& attrs, const AnyMasked& x, const Backend& backend) {
    return ir::gradcheck(gradcheck_function(attrs.at("function"), x), std::span(&x, 1),
                         {.masked = attrs.at("masked"),
                          .eps = attrs.at("eps"),
                          .rtol = attrs.at("check_rtol"),
                          .atol = attrs.at("check_atol")},
                         backend.evaluate);
}

}  // namespace

std::vector<Got> run_expression(const Json& test, const std::vector<Input>& inputs, const Backend& backend) {
    if (!backend.evaluate) throw Skip{"compiled expressions"};
    if (test.at("op") == "gradcheck") return {gradcheck_of(test.at("attrs"), inputs.at(0).masked, backend)};
    ir::ExpressionContext session("case", backend.evaluate);
    const Program program = program_of(test);
    const Names names = build_program(session, program, inputs);
    std::vector<Value> results;
    for (const std::string& output : program.outputs)
        for (const Value& part : names.at(output)) results.push_back(part);
    if (test.at("op") == "backward")
        std::ranges::move(gradients_of(test, names), std::back_inserter(results));
    std::vector<Got> got;
    for (Result& result : session.run(results)) got.emplace_back(std::move(result));
    return got;
}

}  // namespace conformance
