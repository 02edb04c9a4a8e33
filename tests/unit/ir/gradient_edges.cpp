// SPDX-License-Identifier: MIT
/// Gradients where a function has a corner, a pole or several zeros: PyTorch's values.
#include "gradient_helpers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <functional>

namespace gradient_edges_test {

using namespace frisket;
using namespace frisket::ir;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

const Tensor<double> zeros_above({2, 3}, {0, 0, 0, 1, 2, 2});

/// The gradient of the sum of a function's results.
std::string slope(const Tensor<double>& at, const std::function<Value(ExpressionContext&, Value)>& function) {
    ExpressionContext session("edge");
    const Value x = session.tensor(at);
    return text_of(session.run(gradient(function(session, x), std::array{x})[0]));
}

std::string slope_of_norm(double ord) {
    return slope(zeros_above, [=](ExpressionContext&, Value x) { return norm(x, ord, std::vector<int>{1}); });
}

/// Row i of the second derivatives of a product.
std::string curvature(const Tensor<double>& at, int i) {
    ExpressionContext session("edge");
    const Value x = session.tensor(at);
    const Value first = gradient(prod(x), std::array{x})[0];
    return text_of(session.run(gradient(select(bare(first), 0, i), std::array{x})[0]));
}

}  // namespace

TEST_CASE("the gradient of a norm of zeros is 0") {
    CHECK(slope_of_norm(2) == "0 0 0 0.333333 0.666667 0.666667");
    CHECK(slope_of_norm(1) == "0 0 0 1 1 1");
    CHECK(slope_of_norm(3) == "0 0 0 0.151252 0.605007 0.605007");
    CHECK(slope_of_norm(1.5) == "0 0 0 0.53159 0.751782 0.751782");
    CHECK(slope_of_norm(0.5) == "0 0 0 3.828427 2.707107 2.707107");
    CHECK(slope_of_norm(inf) == "0 0 0 0 0.5 0.5");
    CHECK(slope_of_norm(-inf) == "0 0 0 1 0 0");
    CHECK(slope(zeros_above, [](ExpressionContext&, Value x) { return normalize(x, 2, 1, 0.5); }) ==
          "2 2 2 0.148148 -0.037037 -0.037037");
}

TEST_CASE("the gradient of a deviation of equal elements is 0, of a single one NaN") {
    const Tensor<double> equal_above({2, 3}, {3, 3, 3, 1, 2, 3});
    CHECK(slope(equal_above, [](ExpressionContext&, Value x) { return ir::std(x, std::vector<int>{1}); }) ==
          "0 0 0 -0.5 0 0.5");
    CHECK(slope(equal_above, [](ExpressionContext&, Value x) { return var(x, std::vector<int>{1}); }) ==
          "0 0 0 -1 0 1");
    CHECK(slope(Tensor<double>({1}, {3}), [](ExpressionContext&, Value x) {
              return ir::std(x);
          }).ends_with("nan"));
}

TEST_CASE("an element that is equal to a limit has all of the gradient") {
    const Tensor<double> around({6}, {-2, -1, 0, 1, 2, not_a_number});
    const auto between = [&](double low, double high) {
        return slope(around,
                     [=](ExpressionContext& s, Value x) { return clamp(x, s.number(low), s.number(high)); });
    };
    CHECK(between(-1, 1) == "0 1 1 1 0 0");
    CHECK(between(1, -1) == "0 0 0 0 0 0");
    CHECK(between(1, 1) == "0 0 0 1 0 0");
}

TEST_CASE("what nan_to_num replaces has gradient 0") {
    CHECK(slope(Tensor<double>({4}, {not_a_number, inf, -inf, 1}), [](ExpressionContext& s, Value x) {
              return nan_to_num(x, s.number(1.0), s.number(2.0), s.number(3.0));
          }) == "0 0 0 1");
}

TEST_CASE("second derivatives of a product count the zeros that are left") {
    CHECK(curvature(Tensor<double>({3}, {2, 3, 4}), 0) == "0 4 3");
    CHECK(curvature(Tensor<double>({3}, {0, 3, 4}), 0) == "0 4 3");
    CHECK(curvature(Tensor<double>({3}, {0, 3, 4}), 1) == "4 0 0");
    CHECK(curvature(Tensor<double>({3}, {0, 0, 4}), 0) == "0 4 0");
    CHECK(curvature(Tensor<double>({3}, {0, 0, 4}), 2) == "0 0 0");
    CHECK(curvature(Tensor<double>({3}, {0, 0, 0}), 1) == "0 0 0");
}

TEST_CASE("derivatives of products of every order count the zeros that are left") {
    // The derivative by elements 0, 1, … in turn, of which the last is taken of all elements.
    const auto derivative = [](const Tensor<double>& at, bool is_masked, int order) {
        ExpressionContext session("edge");
        const Value x =
            is_masked ? session.masked(AnyMasked::strided(at, Tensor<bool>({4}, {true, true, true, true})))
                      : session.tensor(at);
        Value made = prod(x);
        for (int i = 0; i + 1 < order; ++i) made = select(bare(gradient(made, std::array{x})[0]), 0, i);
        return text_of(session.run(gradient(made, std::array{x})[0]));
    };
    for (const bool is_masked : {false, true}) {
        CHECK(derivative(Tensor<double>({4}, {0, 0, 0, 5}), is_masked, 2) == "0 0 0 0");
        CHECK(derivative(Tensor<double>({4}, {0, 0, 0, 5}), is_masked, 3) == "0 0 5 0");
        CHECK(derivative(Tensor<double>({4}, {0, 0, 7, 5}), is_masked, 3) == "0 0 5 7");
        CHECK(derivative(Tensor<double>({4}, {2, 0, 7, 5}), is_masked, 2) == "0 35 0 0");
        CHECK(derivative(Tensor<double>({4}, {0, 0, 0, 0}), is_masked, 4) == "0 0 0 1");
    }
}

TEST_CASE("derivatives of running products are right at zeros, in every order") {
    const auto derivative = [](const Tensor<double>& at, std::vector<int> by) {
        ExpressionContext session("edge");
        const Value x = session.tensor(at);
        Value made = sum(cumprod(x, 0));
        for (const int i : by) made = select(bare(gradient(made, std::array{x})[0]), 0, i);
        return text_of(session.run(gradient(made, std::array{x})[0]));
    };
    CHECK(derivative(Tensor<double>({2}, {0, 2}), {}) == "3 0");
    CHECK(derivative(Tensor<double>({2}, {0, 2}), {1}) == "1 0");
    CHECK(derivative(Tensor<double>({3}, {0, 0, 3}), {0}) == "0 4 0");
    CHECK(derivative(Tensor<double>({3}, {0, 0, 0}), {0, 1}) == "0 0 1");
    CHECK(derivative(Tensor<double>({4}, {0, 0, 0, 0}), {3, 1, 0}) == "0 0 1 0");
}

TEST_CASE("gradients of products do not divide by elements that are small") {
    const auto slope_of = []<class T>(const Tensor<T>& at, bool is_running) {
        ExpressionContext session("edge");
        const Value x = session.tensor(at);
        const Value made = is_running ? sum(cumprod(x, 0)) : prod(x);
        return Tensor<T>(session.run(gradient(made, std::array{x})[0]).values.clone());
    };
    CHECK(same(slope_of(Tensor<float>({2}, {1e-30F, 1e-30F}), false), Tensor<float>({2}, {1e-30F, 1e-30F})));
    CHECK(same(slope_of(Tensor<double>({3}, {1e-200, 1e-200, 2}), false),
               Tensor<double>({3}, {2e-200, 2e-200, 0})));
    CHECK(same(slope_of(Tensor<float>({3}, {1e-30F, 1e-30F, 1}), true), Tensor<float>({3}, {1, 2e-30F, 0})));
    ExpressionContext session("edge");
    const Value x = session.masked(
        AnyMasked::strided(Tensor<float>({3}, {1e-30F, 7, 1e-30F}), Tensor<bool>({3}, {true, false, true})));
    const Result found = session.run(gradient(prod(x), std::array{x})[0]);
    CHECK(Tensor<float>(found.values.clone()).at({0}) == 1e-30F);
    CHECK(Tensor<float>(found.values.clone()).at({2}) == 1e-30F);
}

TEST_CASE("a product over several dimensions has the gradient of the others") {
    const Tensor<double> at({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 0, 9, 1, 2, 4});
    CHECK(slope(at, [](ExpressionContext&, Value x) { return prod(x, std::vector<int>{0, 2}); }) ==
          "0 0 0 240 192 160 0 378 0 960 480 240");
}

TEST_CASE("a derivative of dense operands is specified at every point and order") {
    const auto of = [](const Tensor<double>& at, const std::function<Value(Value)>& function, int order) {
        ExpressionContext session("edge");
        const Value x = session.tensor(at);
        Value made = function(x);
        for (int i = 1; i < order; ++i) made = bare(gradient(made, std::array{x})[0]);
        return text_of(session.run(gradient(made, std::array{x})[0]));
    };
    const Tensor<double> around({3}, {-1, 0, 2});
    CHECK(of(around, [](Value x) { return apply<op::Relu>({x}); }, 2) == "0 0 0");
    CHECK(of(around, [](Value x) { return apply<op::Maximum>({x * x, x}); }, 2) == "2 1 2");
    CHECK(of(around, [](Value x) { return apply<op::Pow>({x, number(*x.graph, 2.0)}); }, 3) == "0 0 0");
    CHECK(of(around, [](Value x) { return apply<op::Pow>({x, number(*x.graph, 2.0)}); }, 4) == "0 0 0");
    CHECK(of(around, [](Value x) { return amax(x) * amax(x); }, 2) == "0 0 2");
}

TEST_CASE("a derivative without a formula is refused by a sentence, and those before it are numbers") {
    const auto derivative = [](OpId op, int order, double at = 0.75) {
        ExpressionContext session("edge");
        const Value x = session.tensor(Tensor<double>({1}, {at}));
        Value made = apply(op, {x});
        for (int i = 0; i < order; ++i) made = bare(gradient(made, std::array{x})[0]);
        return Tensor<double>(session.run(made).values.clone()).at({0});
    };
    // Source: mpmath, 50 digits.
    CHECK_THAT(derivative(op_id<op::Sinc>, 6), Catch::Matchers::WithinRel(63.0812686669603445, 1e-12));
    CHECK_THAT(derivative(op_id<op::Sinc>, 4, 0), Catch::Matchers::WithinRel(19.4818182068004874, 1e-14));
    CHECK_THAT(derivative(op_id<op::Sinc>, 6, 0), Catch::Matchers::WithinRel(-137.3413133679006, 1e-14));
    CHECK_THAT(derivative(op_id<op::I0>, 6, 0), Catch::Matchers::WithinRel(0.3125, 1e-14));
    CHECK_THAT(derivative(op_id<op::I0>, 6), Catch::Matchers::WithinRel(0.392704983196726009, 1e-14));
    CHECK_THAT(derivative(op_id<op::Lgamma>, 6), Catch::Matchers::WithinRel(678.753342874579714, 1e-14));
    CHECK_THROWS_MATCHES(
        derivative(op_id<op::Sinc>, 13), ValueError,
        MessageMatches(ContainsSubstring("no formula for derivatives of sinc of an order above 12")));
}

}  // namespace gradient_edges_test
