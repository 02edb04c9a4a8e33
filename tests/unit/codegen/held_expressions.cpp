// SPDX-License-Identifier: MIT
#include "../../../runtime/limits.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace held_expressions_test {

using namespace frisket;

namespace {

using Floats = std::vector<float>;

const Tensor<float> x({2, 3}, {1, -2, 3, -4, 5, -6});
const Tensor<float> row({3}, {0.5F, -1, 2});
const Tensor<bool> some({2, 3}, {true, false, true, true, true, false});

/// Square matrices whose elements are small multiples of 1/8.
std::vector<Tensor<float>> matrices(std::int64_t count, std::int64_t extent) {
    std::vector<Tensor<float>> made;
    for (std::int64_t i = 0; i < count; ++i) {
        Tensor<float> matrix({extent, extent});
        for (std::int64_t k = 0; k < matrix.size(); ++k)
            matrix.data()[k] = static_cast<float>((k * 7 + i * 3) % 11 - 4) / 8;
        made.push_back(matrix);
    }
    return made;
}

Expression<float> layers(const Tensor<float>& input, const std::vector<Tensor<float>>& weights) {
    Expression<float> e = input;
    for (const Tensor<float>& w : weights) e = relu(matmul(e, w)) + 0.25F;
    return e;
}

/// The value that both ways of evaluation give.
template <class E>
auto both_ways(const E& e) {
    const auto interpreted = eval(e, {.jit = Jit::never});
    CHECK(same(eval(e, {.jit = Jit::always}), interpreted));
    return interpreted;
}

}  // namespace

TEST_CASE("an expression of any type is held under its elements") {
    Expression<float> e = x;
    e = exp(e * 0.5F) - row;
    CHECK(same(both_ways(e), eval(exp(x * 0.5F) - row)));
    STATIC_CHECK(std::is_same_v<decltype(eval(e)), Tensor<float>>);
    const Expression<std::int64_t> counted = argmax(e, 1);
    CHECK(both_ways(counted).to_vector() == std::vector<std::int64_t>{2, 1});
    const Expression<bool> positive = e > 0;
    CHECK(same(both_ways(where(positive, e, 0.0F)), eval(max(e, 0.0F))));
    const Expression<double> wide = cast<double>(e);
    CHECK(eval(sum(wide)).item() == eval(sum(cast<double>(exp(x * 0.5F) - row))).item());
    const Expression<float> product = matmul(e, row);
    CHECK(eval(product[0]).item() == eval(matmul(e, row)).data()[0]);
}

TEST_CASE("elements for storage are widened where they are held") {
    const Tensor<float16> half({2}, {float16(1.5F), float16(-2)});
    const Expression<float> e = half;
    CHECK(both_ways(e).to_vector() == Floats{1.5F, -2});
    CHECK(eval(cast<float16>(e * 2)).to<float>().to_vector() == Floats{3, -4});
}

TEST_CASE("a masked expression is held with its mask") {
    const auto m = masked(x, some);
    MaskedExpression<float> e = m;
    for (int i = 0; i < 3; ++i) e = e * 2.0F;
    STATIC_CHECK(std::is_same_v<decltype(eval(e)), MaskedTensor<float>>);
    CHECK(eval(e, {.jit = Jit::always}).to_dense(-1).to_vector() == Floats{8, -1, 24, -32, 40, -1});
    const Expression<float> filled = to_dense(e - mean(e, {1}, keepdim), 0);
    CHECK(both_ways(filled).to_vector() == Floats{-8, 0, 8, -36, 36, 0});
    const MaskedExpression<float> restricted = on(m, x);
    CHECK(eval(count(restricted)).item() == 4);
    const auto listed = MaskedTensor<float>::coo({2, 3}, {{0, 1}, {2, 0}}, {3, 4});
    e = listed * 2.0F;
    CHECK(eval(e).layout() == Layout::coo);
    CHECK(eval(e).to_dense(0).to_vector() == Floats{0, 0, 6, 8, 0, 0});
}

TEST_CASE("assignment with an operation is the operation") {
    Expression<float> loss = sum(x);
    loss += sum(row);
    loss *= 2.0F;
    loss -= 1;
    loss /= 4;
    CHECK(both_ways(loss).item() == eval(((sum(x) + sum(row)) * 2.0F - 1) / 4).item());
}

TEST_CASE("positions that depend on values are held") {
    Expression<float> e = x;
    e = e[e > 0];
    CHECK(eval(e).to_vector() == Floats{1, 3, 5});
    e = median(e);
    CHECK(eval(e + 1).item() == 4);
}

TEST_CASE("what is read at several places is made once") {
    // 2^64 places of x.
    Expression<float> e = x / 64.0F;
    for (int i = 0; i < 64; ++i) e = (e + e) * 0.5F;
    CHECK(same(both_ways(e), eval(x / 64.0F)));
}

TEST_CASE("an expression keeps its tensors alive, and reads what they hold when it is evaluated") {
    Expression<float> e = row;
    {
        const Tensor<float> mine({3}, {1, 2, 3});
        e = e + mine;
    }
    CHECK(eval(e).to_vector() == Floats{1.5F, 1, 5});
    Tensor<float> changed({2}, {1, 2});
    const Expression<float> sum_of = sum(changed);
    CHECK(eval(sum_of).item() == 3);
    changed.data()[0] = 5;
    CHECK(eval(sum_of).item() == 7);
}

TEST_CASE("an expression that was moved from is refused") {
    Expression<float> e = x;
    const Expression<float> taken = std::move(e);
    CHECK(eval(sum(taken)).item() == -3);
    CHECK_THROWS_WITH(eval(e), "frisket: an Expression that was moved from: give it a value first");
    CHECK_THROWS_AS((e = e + 1), ValueError);
    e = x;
    CHECK(eval(sum(e)).item() == -3);
}

TEST_CASE("several expressions and lists of them take options") {
    const std::vector<Expression<float>> list{sum(x), x * 2, row};
    for (const Jit jit : {Jit::automatic, Jit::always, Jit::never}) {
        const std::vector<Tensor<float>> values = eval(list, {.jit = jit});
        REQUIRE(values.size() == 3);
        CHECK(values[0].item() == -3);
        CHECK(same(values[1], eval(x * 2)));
        CHECK(same(values[2], row));
        const auto [total, each, least] = eval(sum(x), list, amin(x), EvalOptions{.jit = jit});
        STATIC_CHECK(std::is_same_v<decltype(each), const std::vector<Tensor<float>>>);
        CHECK(total.item() == -3);
        CHECK(each.size() == 3);
        CHECK(least.item() == -6);
        const auto [one, other] = eval(sum(x), amax(x), EvalOptions{.jit = jit});
        CHECK(one.item() + other.item() == 2);
    }
    CHECK_THROWS_AS(eval(sum(x), row, EvalOptions{.jit = Jit::never, .schedule = Schedule{}}), ValueError);
    CHECK(eval(std::vector<Expression<float>>{}).empty());
    CHECK(std::get<1>(eval(sum(x), std::vector<MaskedExpression<float>>{})).empty());
}

TEST_CASE("gradients reach through held expressions, and with respect to them") {
    const Expression<float> inner = x * x;
    const Expression<float> loss = sum(inner * row);
    const MaskedExpression<float> slope = gradient(loss, x);
    CHECK(same(eval(slope).to_dense(0), eval(2 * x * row)));
    CHECK(same(eval(gradient(loss, inner)).to_dense(0), eval(row * full<float>({2, 3}, 1))));
    CHECK_THROWS_AS(eval(gradient(loss, Tensor<float>({3}))), ValueError);
}

TEST_CASE("explain prints the plan of a held expression") {
    const Expression<float> e = sum(x * row, {1});
    CHECK(explain(e) == explain(sum(x * row, {1})));
}

TEST_CASE("chains of any length are taken apart") {
    Expression<float> e = row;
    for (int i = 0; i < 200'000; ++i) e = e + 1;
    e = row;
    CHECK(same(eval(e), row));
}

TEST_CASE("two hundred layers have the values of layers one by one, and so have their gradients") {
    constexpr std::int64_t depth = 200, extent = 4;
    const std::vector<Tensor<float>> weights = matrices(depth, extent);
    const Tensor<float> input = full<float>({extent, extent}, 1);
    std::vector<Tensor<float>> values{input};
    for (const Tensor<float>& w : weights) values.push_back(eval(relu(matmul(values.back(), w)) + 0.25F));
    std::vector<Tensor<float>> slopes(weights.size());
    Tensor<float> upstream = full<float>({extent, extent}, 1);
    for (std::size_t i = weights.size(); i-- > 0;) {
        const Expression<float> layer = relu(matmul(values[i], weights[i])) + 0.25F;
        slopes[i] = eval(gradient(layer, weights[i], upstream)).to_dense(0);
        upstream = eval(gradient(layer, values[i], upstream)).to_dense(0);
    }
    const Expression<float> e = layers(input, weights);
    std::vector<MaskedExpression<float>> gradients;
    for (const Tensor<float>& w : weights) gradients.push_back(gradient(sum(e), w));
    for (const Jit jit : {Jit::never, Jit::always}) {
        const auto [made, found] = eval(e, gradients, EvalOptions{.jit = jit});
        CHECK(same(made, values.back()));
        REQUIRE(found.size() == weights.size());
        std::size_t equal = 0;
        for (std::size_t i = 0; i < found.size(); ++i) equal += same(found[i].to_dense(0), slopes[i]) ? 1 : 0;
        CHECK(equal == found.size());
    }
}

TEST_CASE("layers have stages of their own where there are more products than one stage has") {
    const auto check = [](std::int64_t depth, bool has_stages) {
        const Expression<float> e = layers(full<float>({3, 3}, 1), matrices(depth, 3));
        CHECK(same(eval(e, {.jit = Jit::always}), eval(e, {.jit = Jit::never})));
        const bool is_one =
            explain(e, Run::yes, {.jit = Jit::always}).find(": 1 stage\n") != std::string::npos;
        CHECK(is_one != has_stages);
    };
    static_assert(limits::products_of_a_stage == 16);
    check(15, false);
    check(16, false);
    check(17, true);
}

}  // namespace held_expressions_test
