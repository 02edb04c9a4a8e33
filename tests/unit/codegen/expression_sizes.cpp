// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../../codegen/lowering/elementwise.hpp"
#include "../../../codegen/strategies/strategies.hpp"
#include "../../../ir/expressions/expression_context.hpp"
#include "../../support/matchers.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace expression_sizes_test {

/// Counts of the parts of loops: compiling takes time and memory in proportion.
using namespace frisket;
using lowering::Value;

namespace {

/// Counts expressions within expressions; shared expressions count once.
class Counter final : public Halide::Internal::IRGraphVisitor {
public:
    int count = 0;

private:
    void include(const Halide::Expr& e) override {
        ++count;
        Halide::Internal::IRGraphVisitor::include(e);
    }
};

/// True if the operation is computed with operands of this dtype.
bool takes(const OpInfo& row, DType dtype) {
    if (row.dtype == DTypeRule::floating && !info_of(dtype).is_float) return false;
    return accepts(row.accepts, dtype);
}

/// The size of an operation of an operation of … a variable, which all its operands are.
int size_of_chain(OpId op, DType dtype, int links) {
    const OpInfo& row = info_of(op);
    Value x{Halide::Internal::Variable::make(lowering::expr_type(dtype), "x")};
    for (int link = 0; link < links; ++link) {
        const Value truth = lowering::convert(x, DType::boolean);
        std::vector<Value> operands(static_cast<std::size_t>(row.arity),
                                    row.dtype == DTypeRule::logical ? truth : x);
        if (row.dtype == DTypeRule::branches) operands[0] = truth;
        x = lowering::convert(codegen::apply_op(op, operands), dtype);
    }
    Counter counter;
    x.expr.accept(&counter);
    return counter.count;
}

/// How many loads are in the index of a load, in the index of that, and so on, in any loop of a pipeline.
class Nesting final : public Halide::Internal::IRVisitor {
public:
    int most = 0;

private:
    using IRVisitor::visit;
    void visit(const Halide::Internal::Call* call) override {
        const bool is_load = call->call_type == Halide::Internal::Call::Image ||
                             call->call_type == Halide::Internal::Call::Halide;
        depth_ += is_load ? 1 : 0;
        most = std::max(most, depth_);
        IRVisitor::visit(call);
        depth_ -= is_load ? 1 : 0;
        if (!call->func.defined() || !known_.insert(call->name).second) return;
        const int outside = std::exchange(depth_, 0);
        Halide::Internal::Function(call->func).accept(this);
        depth_ = outside;
    }

    int depth_ = 0;
    std::set<std::string> known_;
};

/// Depth of nested loads in the loops of the expression that `make` returns.
template <class Make>
int nesting(Make&& make) {
    Nesting nesting;
    const auto look = [&](const Graph& graph, std::span<const Argument> arguments) {
        codegen::Specialization form;
        form.inputs.resize(graph.symbols.size());
        codegen::BuiltLoops nest = codegen::lower({graph, ir::ScalarProgram::of(graph), form}, {});
        for (const Halide::Func& output : nest.pipeline.outputs()) output.function().accept(&nesting);
        return evaluate(graph, arguments);
    };
    ir::ExpressionContext session("looked at", look);
    session.run(make(session));
    return nesting.most;
}

}  // namespace

TEST_CASE("loads are not nested in indices of loads without end", "[codegen]") {
    const Tensor<float> data = arange<float>(12).reshape({3, 4});
    const Tensor<std::int64_t> indices({4}, {2, 0, 1, 1});
    const auto takes = [&](int links, int chained) {
        return [&, links, chained](ir::ExpressionContext& s) {
            ir::Value x = s.tensor(data), index = s.tensor(indices);
            for (int link = 0; link < chained; ++link) index = index_select(index, 0, index);
            for (int link = 0; link < links; ++link) x = index_select(x, 1, index);
            return x;
        };
    };
    // Short chains store nothing.
    CHECK(nesting(takes(3, 0)) == 4);
    CHECK(nesting(takes(12, 0)) <= 6);
    CHECK(nesting(takes(1, 5)) <= 6);
    CHECK(nesting(takes(5, 3)) <= 6);
}

TEST_CASE("a reshape that many loops read is computed once", "[codegen]") {
    bool is_stored = false;
    ir::ExpressionContext session("looked at", [&](const Graph& graph, std::span<const Argument> arguments) {
        codegen::Specialization form;
        form.inputs.resize(graph.symbols.size());
        const codegen::BuiltLoops loops = codegen::lower({graph, ir::ScalarProgram::of(graph), form}, {});
        for (const auto& one : codegen::KernelMetadata::of(loops.notes).stored)
            is_stored = is_stored || graph[one.id].kind == NodeKind::reshape;
        return evaluate(graph, arguments);
    });
    const ir::Value x = session.tensor(arange<float>(120).reshape({2, 3, 4, 5}));
    const ir::Value reshaped = reshape(x, {4, 6, 5});
    std::vector<ir::Value> results;
    for (const int dim : {0, 1, 2}) {
        results.push_back(sum(reshaped, {{dim}}));
        results.push_back(sum(reshaped * reshaped, {{dim}}));
        results.push_back(cumsum(reshaped, dim));
    }
    session.run(results);
    CHECK(is_stored);
}

TEST_CASE("a power by a condition is one multiplication", "[codegen]") {
    const Value x{Halide::Internal::Variable::make(Halide::Int(32), "x")},
        power = lowering::convert({Halide::Internal::Variable::make(Halide::Bool(), "p")}, DType::int32);
    const Value both[] = {x, power};
    Counter counter;
    codegen::apply_op(op_id<op::Pow>, both).expr.accept(&counter);
    CHECK(counter.count < 30);
}

TEST_CASE("a chain of operations is as large as its links, not as their copies", "[codegen]") {
    const DType dtype = GENERATE(DType::boolean, DType::int64, DType::float32, DType::float64);
    for (std::size_t i = 0; i < op_table().size(); ++i) {
        const auto op = static_cast<OpId>(i);
        if (!takes(info_of(op), dtype)) continue;
        const int two = size_of_chain(op, dtype, 2), three = size_of_chain(op, dtype, 3),
                  four = size_of_chain(op, dtype, 4);
        INFO(info_of(op).name << ", " << name_of(dtype));
        CHECK(four - three == three - two);
    }
}

}  // namespace expression_sizes_test
