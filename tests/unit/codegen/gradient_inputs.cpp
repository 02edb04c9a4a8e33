// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

namespace gradient_inputs_test {

/// Gradients with respect to tensors that an expression does not read.
namespace {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;

const Tensor<float> x({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor<bool> some({2, 3}, {true, false, true, false, true, true});

/// Checks that a gradient is refused, and that the message names `tensor`.
template <class E>
void check_refused(const E& expression, const EvalOptions& how, const std::string& tensor) {
    std::string message = "no error";
    try {
        eval(expression, how);
    } catch (const ValueError& error) { message = error.what(); }
    CHECK_THAT(message, ContainsSubstring("with respect to " + tensor + ", which does not occur in it"));
    CHECK_THAT(message, ContainsSubstring("m.to(...)") && ContainsSubstring("allow_unused"));
}

}  // namespace

TEST_CASE("a gradient by what an expression does not read is refused by name", "[codegen]") {
    const EvalOptions how = options();
    const auto m = masked(x, some);
    const Tensor<float> z = x.clone();
    check_refused(gradient(sum(z * z), x), how, "a tensor (shape [2, 3], dense)");
    const auto squares = eval(x * x, how);
    check_refused(gradient(sum(squares), x), how, "a tensor (shape [2, 3], dense)");
    const auto coo = m.to(Layout::coo);
    check_refused(gradient(sum(m), coo), how, "a tensor (shape [2, 3], layout coo)");
    check_refused(gradient(sum(x), 2 * x), how, "mul(2, a tensor (shape [2, 3], dense))");
    CHECK_THROWS_AS(eval(gradient(sum(z * z), x, Tensor<float>({}, {2})), how), ValueError);
}

TEST_CASE("what lies in the memory of a tensor is read from it", "[codegen]") {
    const EvalOptions how = options();
    const auto check = [&](const auto& made, const auto& written) {
        CHECK(same(eval(gradient(sum(square(made)), x), how), eval(gradient(sum(square(written)), x), how)));
    };
    check(masked(x, some), masked(+x, some));
    check(masked(x, some).to(Layout::bitmask), masked(+x, some));
    check(x.reshape({6}), reshape(x, {6}));
    check(x.reshape({3, 2}), reshape(x, {3, 2}));
    check(x.transpose(0, 1), transpose(x, 0, 1));
    check(x.slice(1, 1, 3), narrow(x, 1, 1, 2));
    check(x.slice(0, 1, 2).slice(1, 0, 3, 2), x(1, slice(0, 3, 2)));
    check(x.reshape({6}).slice(0, 1, 6, 3), reshape(x, {6})[slice(1, 6, 3)]);
    check(x.reshape({6}).slice(0, 1, 5), reshape(x, {6})[slice(1, 5)]);
    const Tensor<const float> row(x.slice(0, 0, 1).broadcast_to({4, 3}));
    check(row, expand(narrow(x, 0, 0, 1), {4, 3}));
    const auto both = sum(x * x.reshape({6}).slice(0, 0, 3)) + sum(masked(x, some));
    const auto written = sum(x * reshape(x, {6})[slice(0, 3)]) + sum(masked(+x, some));
    CHECK(same(eval(gradient(both, x), how), eval(gradient(written, x), how)));
    CHECK(eval(gradient(sum(x), x.reshape({6}), allow_unused), how).specified_count() == 6);
}

TEST_CASE("calls whose tensors share memory are no calls like those whose do not", "[codegen]") {
    const Tensor<float> apart({3}, {1, 2, 3}), whole({3}, {1, 2, 3});
    const auto slope = [&](const Tensor<float>& read) {
        return eval(gradient(sum(square(read)) + sum(whole), whole), {.jit = Jit::always})
            .to_dense(0)
            .to_vector();
    };
    using Floats = std::vector<float>;
    for (int i = 0; i < 6; ++i) {
        CHECK(slope(apart) == Floats{1, 1, 1});
        CHECK(slope(whole.reshape({3})) == Floats{3, 5, 7});
        CHECK(slope(whole.slice(0, 0, 3)) == Floats{3, 5, 7});
    }
    // The tensors begin at different addresses, and share the last two elements.
    const Tensor<float> two({2}, {1, 2}), end = whole.slice(0, 1, 3);
    for (int i = 0; i < 6; ++i) {
        CHECK(slope(two) == Floats{1, 1, 1});
        CHECK(slope(end) == Floats{1, 5, 7});
    }
}

TEST_CASE("what is written within the expression has a gradient", "[codegen]") {
    const EvalOptions how = options();
    CHECK(eval(gradient(sum(square(masked(+x, some))), x), how).to_dense(-1).to_vector() ==
          std::vector<float>{2, -1, 6, -1, 10, 12});
    CHECK(eval(gradient(sum(square(reshape(x, {6}))), x), how).to_dense(-1).at({1, 0}) == 8);
    CHECK(eval(gradient(sum(square(2 * x)), 2 * x), how).to_dense(-1).at({0, 1}) == 8);
}

TEST_CASE("what may be missing has a gradient that is specified nowhere", "[codegen]") {
    const EvalOptions how = options();
    const Tensor<float> z = x.clone();
    const auto found = eval(gradient(sum(z * z), x, allow_unused), how);
    CHECK(found.shape() == Shape{2, 3});
    CHECK(found.specified_count() == 0);
    CHECK(eval(gradient(z * z, x, z, allow_unused), how).specified_count() == 0);
    CHECK(eval(gradient(z * z, z, z, allow_unused), how).to_dense(-1).at({0, 2}) == 18);
}

TEST_CASE("what is read without a derivative has a gradient that is specified nowhere", "[codegen]") {
    const EvalOptions how = options();
    const auto m = masked(x, some);
    const auto nowhere = [&](const auto& e) { return eval(gradient(e, m), how).specified_count() == 0; };
    CHECK(nowhere(cast<float>(count(m))));
    CHECK(nowhere(cast<float>(argmax(m))));
    CHECK(nowhere(cast<float>(m > 2)));
    CHECK(nowhere(on(m, x)));
    CHECK(nowhere(where(to_dense(m, 0) > 2, x, 0)));
    CHECK(eval(gradient(sum(floor(x) + m), m), how).specified_count() == 4);
    CHECK(eval(gradient(cast<float>(argmax(x)), x), how).specified_count() == 0);
}

TEST_CASE("a step refuses the gradient by a symbol that its expression does not read", "[codegen]") {
    constexpr InOut<"param"> param;
    constexpr In<"other"> other;
    constexpr Masked<"grad"> grad;
    const Tensor<float> p = full<float>({2}, 1), o = full<float>({2}, 3);
    const auto g = MaskedTensor<float>::coo({2}, {{0}}, {4});
    CHECK_THROWS_MATCHES(
        jit(step<"descent">(param -= gradient(sum(grad * param), other)))(param = p, grad = g, other = o),
        ValueError,
        MessageMatches(ContainsSubstring("descent: gradient of sum(mul(grad, param)) with respect to other, "
                                         "which does not occur in it")));
    CHECK(p.to_vector() == std::vector<float>{1, 1});
    jit(step<"allowed">(param -= gradient(sum(grad * param), other, allow_unused)))(param = p, grad = g,
                                                                                    other = o);
    CHECK(p.to_vector() == std::vector<float>{1, 1});
}

}  // namespace gradient_inputs_test
