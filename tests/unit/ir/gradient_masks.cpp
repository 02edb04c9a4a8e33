// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "gradient_helpers.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace gradient_masks_test {

using namespace frisket;
using namespace frisket::testing;
using namespace frisket::ir;

namespace {

const double none = std::numeric_limits<double>::quiet_NaN();

AnyMasked masked_vector(const std::vector<double>& values, const std::vector<bool>& mask) {
    const Shape shape{static_cast<std::int64_t>(values.size())};
    Tensor<bool> specified(shape);
    for (std::size_t i = 0; i < mask.size(); ++i) specified.data()[i] = mask[i];
    return AnyMasked::strided(Tensor<double>(shape, values), specified);
}

std::string gradient_text(ExpressionContext& session, Value output, Value input,
                          std::optional<Value> upstream = {}) {
    return text_of(session.run(gradient(output, std::array{input}, upstream)[0]));
}

}  // namespace

TEST_CASE("a dense factor gets a masked gradient", "[gradient]") {
    ExpressionContext session("test");
    const Value x = session.masked(masked_vector({2, none, 3}, {true, false, true}));
    const Value w = session.tensor(Tensor<double>({3}, {5, 6, 7}));
    CHECK(gradient_text(session, x * w, w) == "2 - 3");
    CHECK(gradient_text(session, x * w, x) == "5 - 7");
}

TEST_CASE("a gradient is specified where an element of the upstream reached it", "[gradient]") {
    ExpressionContext session("test");
    const Value x = session.masked(masked_vector({1, 2, none, 4, 5}, {true, true, false, true, true}));
    const Value up =
        session.masked(masked_vector({none, 10, none, 100, none}, {false, true, false, true, false}));
    CHECK(gradient_text(session, x, x, up) == "- 10 - 100 -");
    CHECK(gradient_text(session, cumsum(x, 0), x, up) == "110 110 - 100 -");
    CHECK(gradient_text(session, flip(x, {0}), x, flip(up, {0})) == "- 10 - 100 -");
    CHECK(gradient_text(session, select(x, 0, 3), x) == "- - - 1 -");
    CHECK(gradient_text(session, amax(x), x) == "0 0 - 0 1");
    const Value other = session.tensor(Tensor<double>({2}, {1, 2}));
    CHECK_THROWS_AS(gradient(sum(x), std::array{other}), ValueError);
    CHECK(text_of(session.run(gradient(sum(x), std::array{other}, {}, Unused::allowed)[0])) == "- -");
}

TEST_CASE("a gradient is specified nowhere that its result is not", "[gradient]") {
    ExpressionContext session("test");
    const Value x = session.masked(masked_vector({1, 2, none}, {true, true, false}));
    const Value y = session.masked(masked_vector({none, 3, 5}, {false, true, true}));
    const Value product = apply<op::Mul>({x, y}, MaskMode::intersection);
    CHECK(gradient_text(session, product, x, x) == "- 6 -");
    CHECK(gradient_text(session, product, y, x) == "- 4 -");
    CHECK(gradient_text(session, product, x, product) == "- 18 -");
}

TEST_CASE("the branch not taken gets no gradient", "[gradient]") {
    ExpressionContext session("test");
    const Value choice = session.tensor(Tensor<bool>({4}, {true, false, true, false}));
    const Value x = session.masked(masked_vector({1, 800, none, 900}, {true, true, false, true}));
    const Value y = session.masked(masked_vector({3, 4, 5, none}, {true, true, true, false}));
    const Value chosen = where(choice, apply<op::Exp>({x}), y * y);
    CHECK(text_of(session.run(gradient(sum(chosen), std::array{x, y})[0])) == "2.718282 - - -");
    CHECK(gradient_text(session, sum(chosen), y) == "- 8 - -");
}

TEST_CASE("paths that meet: either is enough", "[gradient]") {
    ExpressionContext session("test");
    const Value x = session.masked(masked_vector({1, 2, 3}, {true, true, true}));
    const Value choice = session.tensor(Tensor<bool>({3}, {true, false, true}));
    CHECK(gradient_text(session, sum(where(choice, x, x * x)), x) == "1 4 1");
    const Value part = session.masked(masked_vector({10, none, 30}, {true, false, true}));
    const Value w = session.tensor(Tensor<double>({3}, {5, 6, 7}));
    CHECK(gradient_text(session, sum(part * w), w) == "10 - 30");
    const Value both = apply<op::Add>({sum(part * w), sum(select(w, 0, 1))}, MaskMode::unite);
    CHECK(gradient_text(session, both, w) == "10 1 30");
}

TEST_CASE("equal extremes share", "[gradient]") {
    ExpressionContext session("test");
    const Value x = session.masked(masked_vector({4, 4, 4, 1, 2}, {true, false, true, true, true}));
    CHECK(gradient_text(session, amax(x), x) == "0.5 - 0.5 0 0");
    const Value y = session.tensor(Tensor<double>({5}, {4, 4, 5, 0, 3}));
    CHECK(gradient_text(session, apply<op::Maximum>({x, y}), x) == "0.5 - 0 1 0");
    CHECK(gradient_text(session, apply<op::Maximum>({x, y}), y) == "0.5 - 1 0 1");
}

TEST_CASE("a dense result has ones for its upstream, and a gradient everywhere", "[gradient]") {
    ExpressionContext session("test");
    const Value x = session.tensor(Tensor<float>({2}, {3, 4}));
    const Value wide = sum(cast(x, DType::float64) * session.number(2.0));
    const Result result = session.run(gradient(wide, std::array{x})[0]);
    CHECK(result.values.dtype() == DType::float32);
    CHECK(result.mask.has_value());
    CHECK(text_of(result) == "2 2");
}

TEST_CASE("the gradient of what is masked may reach all elements, or the specified ones", "[gradient]") {
    ExpressionContext session("test");
    const Value x = session.masked(masked_vector({1, none, 3}, {true, false, true}));
    const Value zero = session.number(0.0);
    CHECK(gradient_text(session, to_dense(x, zero), x) == "1 - 1");
    CHECK(gradient_text(session, to_dense(x, zero, GradientPath::everywhere), x) == "1 1 1");
    CHECK(gradient_text(session, to_dense(detach(x), zero), x) == "- - -");
}

TEST_CASE("gradients refuse what they cannot be of", "[gradient]") {
    ExpressionContext session("test");
    const Value x = session.tensor(Tensor<double>({3}, {1, 2, 3}));
    const Value two = session.tensor(Tensor<double>({2}, {1, 2}));
    CHECK_THROWS_MATCHES(
        gradient(x, std::array{x}, two), ShapeError,
        Says("test: an upstream gradient has shape [2], its output has [3]: they must be equal"));
    CHECK_THROWS_MATCHES(gradient(apply<op::Lt>({x, x}), std::array{x}), DTypeError,
                         Says("test: the gradient of bool, wanted that of a float: write cast<float>(x)"));
    const std::array floats{AnyMasked::dense(Tensor<float>({1}, {1}))};
    CHECK_THROWS_MATCHES(
        gradcheck([](ExpressionContext&, auto in) { return in[0]; }, floats), DTypeError,
        Says("gradcheck of an input of float32, wanted float64: differences of others say little"));
}

TEST_CASE("gradcheck: unspecified elements are variables, or they are not", "[gradient]") {
    const std::array x{masked_vector({2, none}, {true, false})};
    const Differentiable projected = [](ExpressionContext& s, auto in) {
        return to_dense(in[0], s.number(0.0));
    };
    const Differentiable full = [](ExpressionContext& s, auto in) {
        return to_dense(in[0], s.number(0.0), GradientPath::everywhere);
    };
    CHECK(gradcheck(projected, x, {.masked = true}).pass);
    CHECK_FALSE(gradcheck(projected, x, {.masked = false}).pass);
    CHECK(gradcheck(full, x, {.masked = false}).pass);
    CHECK_FALSE(gradcheck(full, x, {.masked = true}).pass);
    CHECK(gradcheck(full, x, {.masked = false}).text() == "gradients agree with differences");
    CHECK(gradcheck(projected, x, {.masked = false, .eps = 0.5}).text() ==
          "gradients differ from differences, most at row 1 (input element), column 1 (result element)\n"
          "numerical:\n            1           0\n            0           1\n"
          "analytical:\n            1           0\n            0           0");
}

TEST_CASE("gradcheck fails where a gradient or a difference is NaN", "[gradient]") {
    const std::array x{masked_vector({0, 2}, {true, true})};
    const Differentiable root = [](ExpressionContext&, auto in) { return apply<op::Sqrt>({in[0]}); };
    const GradcheckReport report = gradcheck(root, x);
    CHECK(std::isnan(report.numerical.at({0, 0})));
    CHECK_FALSE(report.pass);
}

}  // namespace gradient_masks_test
