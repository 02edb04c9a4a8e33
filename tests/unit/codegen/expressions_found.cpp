// SPDX-License-Identifier: MIT
#include "../../../codegen/jit/evaluate.hpp"
#include "../../../codegen/jit/run_step.hpp"
#include "../../../ir/expressions/expression_context.hpp"
#include "../../../ir/interpreter/interpret.hpp"
#include "../../support/matchers.hpp"

#include <cmath>

namespace expressions_found_test {

/// Faults that random programs found, each as small as it could be made.
using namespace frisket;
using namespace frisket::ir;

namespace {

/// Compares the loops' result of `make` with the interpreter's; empty if they agree.
template <class Make>
std::string difference(Make&& make) {
    const auto by_loops = [](const Graph& graph, std::span<const Argument> arguments) {
        return codegen::jit_evaluate(graph, arguments);
    };
    ExpressionContext compiled("compiled", by_loops), plain("plain");
    const Result found = compiled.run(make(compiled)), wanted = plain.run(make(plain));
    // Texts: infinities are equal, and all NaN.
    if (found.values.shape() != wanted.values.shape() || to_string(found.values) != to_string(wanted.values))
        return "is " + to_string(found.values) + ", wanted " + to_string(wanted.values);
    return "";
}

}  // namespace

TEST_CASE("a reduction over what was expanded takes every element", "[codegen]") {
    const Tensor<float> one({}, {1.5F}), row({1, 3}, {1, 2, 3});
    const auto sum_of_number = [&](ExpressionContext& s) { return sum(expand(s.tensor(one), {3})); };
    const auto count_of_rows = [&](ExpressionContext& s) { return count(s.tensor(row), std::vector{0}); };
    const auto sum_of_rows = [&](ExpressionContext& s) {
        return sum(expand(s.tensor(row), {5, 3}), std::vector{0});
    };
    const auto product = [&](ExpressionContext& s) { return prod(expand(s.tensor(one), {20, 2})); };
    CHECK(difference(sum_of_number) == "");
    CHECK(difference(count_of_rows) == "");
    CHECK(difference(sum_of_rows) == "");
    CHECK(difference(product) == "");
}

TEST_CASE("a reduction over a dimension of one element takes it once", "[codegen]") {
    const Tensor<float> x({1, 1}, {-1.4375F});
    const auto twice = [&](ExpressionContext& s) {
        return var(reshape(mean(s.tensor(x), std::vector{0}, true), {1, -1}), std::vector{1}, 1);
    };
    const auto kept = [&](ExpressionContext& s) {
        return log_softmax(sum(s.tensor(x), std::vector{0}, true), 0);
    };
    CHECK(difference(twice) == "");
    CHECK(difference(kept) == "");
}

TEST_CASE("a float divided by the constant 0 is infinite, or NaN", "[codegen]") {
    const Tensor<float> x({20, 1}, {1, -1, 0, 3, -0.0F, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6});
    const auto quotient = [&](double divisor) {
        return [&x, divisor](ExpressionContext& s) { return s.tensor(x) / s.number(divisor); };
    };
    const auto folded = [&](ExpressionContext& s) {
        return any(cast(s.tensor(x) / s.number(std::int64_t{0}), DType::boolean), std::vector{0});
    };
    CHECK(difference(quotient(0.0)) == "");
    CHECK(difference(quotient(-0.0)) == "");
    CHECK(difference(folded) == "");
}

TEST_CASE("the largest and the smallest of nothing are refused in loops as in the interpreter", "[codegen]") {
    const Tensor<float> floats({0, 2}, {});
    const Tensor<std::int32_t> numbers({0, 2}, {});
    const auto extreme = [&](ExpressionContext& s) { return amax(s.tensor(floats), std::vector{0}); };
    CHECK_THROWS_AS(difference(extreme), IdentityError);
    CHECK_THROWS_AS(difference([&](ExpressionContext& s) { return amin(s.tensor(numbers)); }), IdentityError);
    CHECK_THROWS_AS(difference([&](ExpressionContext& s) { return s.median(s.tensor(floats)); }),
                    IdentityError);
}

TEST_CASE("indices that are specified nowhere read nothing of nothing", "[codegen]") {
    const Tensor<float> nothing({0, 2}, {});
    const AnyMasked index = AnyMasked::strided(Tensor<std::int64_t>({3}, {0, 1, 2}), full<bool>({3}, false));
    CHECK(difference([&](ExpressionContext& s) {
              return to_dense(index_select(s.tensor(nothing), 0, s.masked(index)), s.number(2.0));
          }) == "");
}

TEST_CASE("what is read at many places is computed once", "[codegen]") {
    const Tensor<float> data = arange<float>(24).reshape({2, 3, 4});
    // Each turn doubles the positions at which the tensor is read.
    const auto rolled = [&](ExpressionContext& s) {
        Value x = s.tensor(data);
        for (int turn = 0; turn < 10; ++turn) x = x + roll(x, 1, 2);
        return x;
    };
    const auto joined = [&](ExpressionContext& s) {
        Value x = s.tensor(data);
        for (int turn = 0; turn < 10; ++turn) x = slice(cat({x, flip(x, {0})}, 0), 0, {}, {}, 2);
        return x;
    };
    // Also where there is nothing to read.
    const auto empty = [&](ExpressionContext& s) {
        Value x = slice(s.tensor(data), 1, 3, {}, 1);
        for (int turn = 0; turn < 5; ++turn) x = cat({x, x + roll(x, 1, 2)}, 0);
        return x;
    };
    CHECK(difference(rolled) == "");
    CHECK(difference(joined) == "");
    CHECK(difference(empty) == "");
}

TEST_CASE("the sign of 16-bit floats is theirs", "[codegen]") {
    const auto signs = [&]<class T>(T /*of*/) {
        const Tensor<T> x({6}, {T(0.0F), T(-0.0F), T(1.0F), T(-1.0F), T(NAN), T(-NAN)});
        return difference([&](ExpressionContext& s) { return apply(find_op("signbit"), {s.tensor(x)}); });
    };
    CHECK(signs(bfloat16()) == "");
    CHECK(signs(float16()) == "");
    CHECK(signs(float()) == "");
}

namespace {

/// A value in an integer dtype, if a target of one takes it: that refuses floats.
Value for_target(const Value& value, DType target) {
    const bool is_cut = info_of(value.dtype()).is_float && !info_of(target).is_float;
    return is_cut ? cast(value, target) : value;
}

/// The elements that a step leaves in a tensor of T, which takes the elements of another that the step has
/// updated.
template <class T, class From>
std::vector<T> second_update(bool is_compiled) {
    const Shape shape{70};
    const AnyTensor from = arange<From>(70), to = zeros<T>(shape);
    GraphBuilder graph("found");
    const auto symbol = [&] {
        return Value{&graph, graph.symbol("from", SymbolKind::in_out, dtype_of<From>, shape)};
    };
    const Value before = symbol();
    graph.symbol("to", SymbolKind::in_out, dtype_of<T>, shape);
    graph.update("from", (before + before).id, Scope::everywhere);
    graph.update("to", for_target(symbol() - before, dtype_of<T>).id, Scope::everywhere);
    const std::vector<Argument> arguments{from, to};
    is_compiled ? codegen::run_step(graph.finish(), arguments) : interpret(graph.finish(), arguments);
    return Tensor<T>(to).to_vector();
}

}  // namespace

TEST_CASE("an update may be made from another of any dtype", "[codegen]") {
    const auto is_same = []<class T, class From>(T /*to*/, From /*from*/) {
        return second_update<T, From>(true) == second_update<T, From>(false);
    };
    CHECK(is_same(std::int64_t(), float()));
    CHECK(is_same(std::int64_t(), double()));
    CHECK(is_same(std::int32_t(), float()));
    CHECK(is_same(std::int32_t(), double()));
    CHECK(is_same(double(), float()));
    CHECK(is_same(float(), double()));
    CHECK(is_same(std::int64_t(), bfloat16()));
    CHECK(is_same(float16(), double()));
}

namespace {

/// True if loops and interpreter leave equal bytes in a tensor of T and in a tensor of From.  `make_to` makes
/// the first one's new value of both; `make_from` makes the second one's of its old value and a third tensor.
template <class T, class From, class MakeTo, class MakeFrom>
bool is_same(MakeTo&& make_to, MakeFrom&& make_from) {
    const auto left = [&](bool is_compiled) {
        const Shape shape{70};
        const AnyTensor to = full<T>(shape, T(2)), from = full<From>(shape, From(3)),
                        other = full<From>(shape, From(5));
        GraphBuilder graph("found");
        const auto symbol = [&](const char* name, SymbolKind kind, DType dtype) {
            return Value{&graph, graph.symbol(name, kind, dtype, shape)};
        };
        const Value y = symbol("to", SymbolKind::in_out, dtype_of<T>),
                    x = symbol("from", SymbolKind::in_out, dtype_of<From>),
                    z = symbol("other", SymbolKind::in, dtype_of<From>);
        const Value made_from = for_target(make_from(x, z), dtype_of<From>),
                    made_to = for_target(make_to(x, y), dtype_of<T>);
        graph.update("from", made_from.id, Scope::everywhere);
        graph.update("to", made_to.id, Scope::everywhere);
        const std::vector<Argument> arguments{to, from, other};
        is_compiled ? codegen::run_step(graph.finish(), arguments) : interpret(graph.finish(), arguments);
        return std::pair(Tensor<T>(to).to_vector(), Tensor<From>(from).to_vector());
    };
    return left(true) == left(false);
}

Value log2(const Value& x) { return apply(find_op("log2"), {x}); }
Value isnan(const Value& x) { return apply(find_op("isnan"), {x}); }

}  // namespace

TEST_CASE("an update may be wider than what it is made from", "[codegen]") {
    const auto as_before = [](const Value& x, const Value&) { return x; };
    const auto functions = [](const Value& x, const Value&) {
        const Value once = log2(x + x);
        return log2(once + once);
    };
    const auto whole = [](const Value& x, const Value&) { return cast(x, DType::int32); };
    const auto is_right = [&]<class T, class From>(T /*to*/, From /*from*/) {
        return is_same<T, From>(functions, as_before) && is_same<T, From>(whole, as_before);
    };
    CHECK(is_right(double(), float()));
    CHECK(is_right(double(), bfloat16()));
    CHECK(is_right(double(), std::uint8_t()));
    CHECK(is_right(std::int64_t(), float()));
    CHECK(is_right(std::int64_t(), float16()));
    CHECK(is_right(std::int64_t(), std::int32_t()));
    CHECK(is_right(float(), bfloat16()));
    CHECK(is_right(float(), std::uint8_t()));
    CHECK(is_right(bfloat16(), std::uint8_t()));
    CHECK(is_right(std::uint8_t(), float()));
}

TEST_CASE("an update may be made of what is narrower on the way", "[codegen]") {
    // Value computed from the target itself too, by way of a narrower float.
    const auto by_float32 = [](const Value& x, const Value& y) {
        const Value once = log2(cast(y, DType::float32));
        return log2(once + once) + (x + x);
    };
    CHECK(is_same<double, float>(by_float32, [](const Value& x, const Value&) { return x; }));
    // Value computed from conditions, one of which is in another.
    const auto by_conditions = [](const Value& x, const Value& z) {
        const Value first = isnan(x), second = isnan(where(first, z, Value(number(*x.graph, 2.0))));
        return cast(apply(find_op("logical_or"), {first, second}), DType::float32);
    };
    CHECK(is_same<float, float>([](const Value& x, const Value& y) { return y + (x + x); }, by_conditions));
}

}  // namespace expressions_found_test
