// SPDX-License-Identifier: MIT
/// Gradients where a function has a corner, a pole or several zeros: what PyTorch gives.
#include "gradient_helpers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <functional>

namespace gradient_edges_test {

using namespace frisket;
using namespace frisket::build;
using namespace frisket::testing;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

const Tensor<double> zeros_above({2, 3}, {0, 0, 0, 1, 2, 2});

/// The gradient of the sum of a function's results.
std::string slope(const Tensor<double>& at, const std::function<Expr(ExpressionContext&, Expr)>& function) {
    ExpressionContext session("edge");
    const Expr x = session.tensor(at);
    return text_of(session.run(gradient(function(session, x), std::array{x})[0]));
}

std::string slope_of_norm(double ord) {
    return slope(zeros_above, [=](ExpressionContext&, Expr x) { return norm(x, ord, std::vector<int>{1}); });
}

/// Row i of the second derivatives of a product.
std::string curvature(const Tensor<double>& at, int i) {
    ExpressionContext session("edge");
    const Expr x = session.tensor(at);
    const Expr first = gradient(prod(x), std::array{x})[0];
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
    CHECK(slope(zeros_above, [](ExpressionContext&, Expr x) { return normalize(x, 2, 1, 0.5); }) ==
          "2 2 2 0.148148 -0.037037 -0.037037");
}

TEST_CASE("the gradient of a deviation of equal elements is 0, of a single one NaN") {
    const Tensor<double> equal_above({2, 3}, {3, 3, 3, 1, 2, 3});
    CHECK(slope(equal_above, [](ExpressionContext&, Expr x) { return build::std(x, std::vector<int>{1}); }) ==
          "0 0 0 -0.5 0 0.5");
    CHECK(slope(equal_above, [](ExpressionContext&, Expr x) { return var(x, std::vector<int>{1}); }) ==
          "0 0 0 -1 0 1");
    CHECK(slope(Tensor<double>({1}, {3}), [](ExpressionContext&, Expr x) {
              return build::std(x);
          }).ends_with("nan"));
}

TEST_CASE("an element that is equal to a limit has all of the gradient") {
    const Tensor<double> around({6}, {-2, -1, 0, 1, 2, not_a_number});
    const auto between = [&](double low, double high) {
        return slope(around,
                     [=](ExpressionContext& s, Expr x) { return clamp(x, s.number(low), s.number(high)); });
    };
    CHECK(between(-1, 1) == "0 1 1 1 0 0");
    CHECK(between(1, -1) == "0 0 0 0 0 0");
    CHECK(between(1, 1) == "0 0 0 1 0 0");
}

TEST_CASE("what nan_to_num replaces has gradient 0") {
    CHECK(slope(Tensor<double>({4}, {not_a_number, inf, -inf, 1}), [](ExpressionContext& s, Expr x) {
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

}  // namespace gradient_edges_test
