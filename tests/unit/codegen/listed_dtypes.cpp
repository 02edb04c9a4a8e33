// SPDX-License-Identifier: MIT
#include "../../../codegen/jit/evaluate.hpp"
#include "../../../codegen/jit/run_step.hpp"
#include "../../../ir/expressions/expression_context.hpp"
#include "../../../ir/interpreter/interpret.hpp"
#include "../../support/random.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace listed_dtypes_test {

using namespace frisket;
using namespace frisket::ir;
using namespace frisket::testing;

namespace {

/// A masked matrix and a dense one of T, and the masked one as floats.
template <class T>
struct Given {
    explicit Given(Layout layout)
        : masked(random_masked<T>({4, 8}, specified(0.4), Layout::two_four, 5).to(held(layout))),
          floats(random_masked<float>({4, 8}, specified(0.4), Layout::two_four, 5).to(held(layout))) {
        if (layout != Layout::rows) return;
        masked = random_masked<T>({4, 8}, specified(0.5), layout, 5, Listed::ascending);
        floats = random_masked<float>({4, 8}, specified(0.5), layout, 5, Listed::ascending);
    }

    /// These tensors, stored as values and mask.
    Given as_strided() const {
        Given made = *this;
        made.masked = masked.to(Layout::strided);
        made.floats = floats.to(Layout::strided);
        return made;
    }

    AnyMasked masked, floats;
    AnyTensor dense = random_tensor<T>({4, 8}, 6);

private:
    /// Rows are specified whole, and have a mask of their own.
    static Layout held(Layout layout) { return layout == Layout::rows ? Layout::strided : layout; }
};

/// Instructions of a session over a masked matrix, a dense one, and a masked one of floats.
struct Operands {
    ExpressionContext& session;
    Value masked, dense, floats;
    DType dtype;
    Value zero() const { return session.number(0.0); }
};
ir::Dims along(int dim) { return std::vector{dim}; }
using Make = std::vector<Value> (*)(const Operands&);

/// A reduction of a list, and views of a dense tensor with it.
std::vector<Value> views_of_dense(const Operands& o) {
    return {amax(o.masked, along(0)),
            diagonal(o.dense),
            transpose(o.dense, 0, 1),
            flip(o.dense, {0}),
            slice(o.dense, 1, 1, 7, 2),
            select(o.dense, 1, 3),
            reshape(transpose(o.dense, 0, 1), {32}),
            cast(transpose(o.dense, 0, 1), o.dtype),
            cast(transpose(o.dense, 0, 1), DType::float64),
            diagonal(cast(o.dense, o.dtype)),
            transpose(o.dense, 0, 1) + diagonal(o.dense)};
}
std::vector<Value> moves(const Operands& o) {
    return {transpose(o.masked, 0, 1),
            diagonal(o.masked),
            slice(o.masked, 1, 1, 7, 2),
            select(o.masked, 1, 3),
            reshape(transpose(o.masked, 0, 1), {32}),
            cat({o.masked, o.masked}, 0),
            cat({o.masked, o.floats}, 1),
            cast(transpose(o.masked, 0, 1), o.dtype)};
}
std::vector<Value> moves_of_casts(const Operands& o) {
    const Value stored = cast(o.floats, o.dtype);
    return {transpose(stored, 0, 1),
            transpose(cast(to_dense(o.floats, o.zero()), o.dtype), 0, 1),
            reshape(transpose(stored, 0, 1), {32}),
            cat({stored, stored}, 0),
            cat({stored, o.floats}, 0),
            slice(cast(o.masked, o.dtype), 0, 1, 4, 1),
            transpose(stored, 0, 1) + transpose(o.floats, 0, 1)};
}
std::vector<Value> reductions(const Operands& o) {
    const Value stored = cast(o.floats, o.dtype);
    return {sum(o.masked, along(0)),
            amax(o.masked, along(1)),
            argmin(o.masked, 0),
            sum(stored, along(0)),
            amax(stored, along(1), true),
            argmin(stored, 1),
            sum(cast(to_dense(o.floats, o.zero()), o.dtype), along(0)),
            cast(sum(o.masked, along(0)), o.dtype)};
}
/// Bools have no products: only products of their numbers.
std::vector<Value> products(const Operands& o) {
    const DType dtype = o.dtype == DType::boolean ? DType::uint8 : o.dtype;
    const Value left = cast(o.masked, dtype), stored = cast(o.floats, dtype);
    const Value given = o.dtype == DType::boolean ? left : o.masked;
    const Value right = transpose(o.dtype == DType::boolean ? cast(o.dense, dtype) : o.dense, 0, 1);
    return {matmul(given, right),
            matmul(given, transpose(given, 0, 1)),
            matmul(left, cast(right, dtype)),
            matmul(stored, right),
            matmul(right, stored),
            matmul(stored, cast(right, dtype))};
}
std::vector<Value> medians(const Operands& o) {
    return {o.session.median(o.masked, 1), o.session.median(cast(o.floats, o.dtype), 0),
            o.session.median(cast(o.dense, o.dtype))};
}

std::string text_of(const Result& result) {
    const AnyTensor& values = result.values;
    const std::string dtype(name_of(values.dtype()));
    if (!result.mask) return dtype + " " + to_string(values);
    const AnyMasked masked = AnyMasked::strided(values, *result.mask);
    return dtype + " " + to_string(masked.to_dense(0)) + " where " + to_string(masked.mask_tensor());
}

template <class T>
std::vector<std::string> results(const Given<T>& given, Make make, bool compiled) {
    const auto by_loops = [](const Graph& graph, std::span<const Argument> arguments) {
        return codegen::jit_evaluate(graph, arguments);
    };
    ExpressionContext session("dtypes", compiled ? ExpressionContext::Evaluate(by_loops)
                                                 : ExpressionContext::Evaluate(&evaluate));
    const std::vector<Value> made = make({.session = session,
                                          .masked = session.masked(given.masked),
                                          .dense = session.tensor(given.dense),
                                          .floats = session.masked(given.floats),
                                          .dtype = dtype_of<T>});
    std::vector<std::string> texts;
    for (const Result& result : session.run(made)) texts.push_back(text_of(result));
    return texts;
}

/// Texts of the targets of a step: a reduction, a view of the input, and a moved list.
template <class T>
std::vector<std::string> targets(const Given<T>& given, bool compiled) {
    const AnyTensor best = zeros<std::int64_t>({8}), view = zeros<float>({4}), own = zeros<T>({4}),
                    moved = zeros<float>({8, 4});
    GraphBuilder graph("dtypes");
    const auto symbol = [&](const char* name, SymbolKind kind, DType dtype, const Shape& shape) {
        return Value{&graph, graph.symbol(name, kind, dtype, shape)};
    };
    const Value m = symbol("masked", SymbolKind::masked, dtype_of<T>, {4, 8});
    const Value x = symbol("dense", SymbolKind::in, dtype_of<T>, {4, 8});
    symbol("best", SymbolKind::in_out, DType::int64, {8});
    symbol("view", SymbolKind::in_out, DType::float32, {4});
    symbol("own", SymbolKind::in_out, dtype_of<T>, {4});
    symbol("moved", SymbolKind::in_out, DType::float32, {8, 4});
    graph.update("best", argmin(m, 0).id);
    graph.update("view", diagonal(x).id, Scope::everywhere);
    graph.update("own", select(x, 1, 2).id, Scope::everywhere);
    graph.update("moved", transpose(m, 0, 1).id);
    const std::vector<Argument> arguments{given.masked, given.dense, best, view, own, moved};
    compiled ? codegen::run_step(graph.finish(), arguments) : interpret(graph.finish(), arguments);
    return {to_string(best), to_string(view), to_string(own), to_string(moved)};
}

constexpr Layout layouts[] = {Layout::strided, Layout::bitmask, Layout::coo,      Layout::rows, Layout::csr,
                              Layout::csc,     Layout::bsr,     Layout::two_four, Layout::bsc};

template <class T>
void check_expressions() {
    const Make make = GENERATE(&views_of_dense, &moves, &moves_of_casts, &reductions, &products, &medians);
    for (const Layout layout : layouts) {
        const Given<T> given(layout);
        CAPTURE(name_of(layout));
        const auto wanted = results(given.as_strided(), make, false);
        CHECK(results(given, make, true) == wanted);
        CHECK(results(given, make, false) == wanted);
    }
}

}  // namespace

TEMPLATE_TEST_CASE("an expression has the same dtypes whatever the layout", "[codegen]", bool, bfloat16) {
    check_expressions<TestType>();
}

TEMPLATE_TEST_CASE("an expression of other elements has the same dtypes whatever the layout",
                   "[codegen][deep]", std::uint8_t, float16) {
    check_expressions<TestType>();
}

TEMPLATE_TEST_CASE("a step takes what was given through views whatever the layout", "[codegen]", bool,
                   std::uint8_t, float16, bfloat16) {
    for (const Layout layout : layouts) {
        const Given<TestType> given(layout);
        CAPTURE(name_of(layout));
        const auto wanted = targets(given.as_strided(), false);
        CHECK(targets(given, true) == wanted);
    }
}

}  // namespace listed_dtypes_test
