// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <tuple>
#include <vector>

namespace eval_gradients_test {

using namespace frisket;

namespace {

using Floats = std::vector<float>;

const Tensor<float> x({3}, {1, 2, 3});
const Tensor<bool> first_two({3}, {true, true, false});

}  // namespace

TEST_CASE("the gradient of an expression is an expression") {
    const auto g = eval(gradient(sum(x * x), x));
    STATIC_CHECK(std::is_same_v<decltype(g), const MaskedTensor<float>>);
    CHECK(g.to_dense(-1).to_vector() == Floats{2, 4, 6});
    CHECK(eval(to_dense(gradient(x * x, x, Tensor<float>({3}, {1, 0, 2})), -1)).to_vector() ==
          Floats{2, 0, 12});
    auto [loss, slope] = eval(sum(x * x), gradient(sum(x * x), x));
    CHECK(loss.at({}) == 14);
    CHECK(slope.specified_count() == 3);
}

TEST_CASE("a gradient is masked where nothing specified was reached") {
    const auto m = masked(x, first_two);
    CHECK(eval(gradient(sum(m * m), m)).to_dense(-1).to_vector() == Floats{2, 4, -1});
    CHECK(eval(gradient(sum(x[slice(1, 2)]), x)).to_dense(-1).to_vector() == Floats{-1, 1, -1});
}

TEST_CASE("an unspecified NaN reaches no gradient") {
    const Tensor<float> y({3}, {1, 4, std::numeric_limits<float>::quiet_NaN()});
    const auto g = eval(gradient(mean(sqrt(masked(y, !is_nan(y)))), y));
    CHECK(g.to_dense(-1).to_vector() == Floats{0.25F, 0.125F, -1});
}

TEST_CASE("what is added at one index is carried as sums are, interpreted and compiled") {
    // 24 times the number after 2^-23: float32 rounds it once, to even.
    const Tensor<float> table({2}, {0x1.000002p-23F, 1});
    const Tensor<std::int64_t> ids({13}, {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
    const auto read = index_select(table, 0, ids);
    for (const Jit jit : {Jit::never, Jit::always}) {
        const auto slope = eval(gradient(sum(read * read), table), {.jit = jit});
        CHECK(slope.to_dense(0).to_vector() == Floats{0x1.800004p-19F, 2});
    }
}

TEST_CASE("derivatives of products have the same bits interpreted and compiled, along every dimension",
          "[deep]") {
    Tensor<float> any({3, 5, 21});
    for (std::int64_t i = 0; i < any.size(); ++i) any.data()[i] = static_cast<float>((i * 37) % 23 - 3) / 8;
    const Tensor<float> weight = eval(any * any - 0.5F);
    const auto same_bits = [](const auto& e) {
        const auto a = eval(e, {.jit = Jit::never}), b = eval(e, {.jit = Jit::always});
        CHECK(same(a.to_dense(-1), b.to_dense(-1)));
        CHECK(a.specified_count() == b.specified_count());
    };
    for (const int dim : {0, 1, 2}) {
        const auto first = gradient(sum(cumprod(any, dim) * weight), any);
        same_bits(first);
        same_bits(gradient(sum(first * weight), any));
        const auto of_lines = gradient(sum(square(prod(any, {dim}))), any);
        same_bits(of_lines);
        same_bits(gradient(sum(of_lines * weight), any));
        same_bits(gradient(sum(cumprod(masked(any, any > 0), dim)), any));
    }
    same_bits(gradient(prod(any.slice(0, 0, 2), {0, 2}), any, full<float>({5}, 1)));
}

TEST_CASE("derivatives that a choice by value had made constant are right, interpreted and compiled") {
    const auto numbers = [](const auto& e, Jit jit) {
        return eval(to_dense(e, -99), {.jit = jit}).to_vector();
    };
    using Doubles = std::vector<double>;
    const Tensor<double> some({2}, {0, 2}), two({1}, {2}), z({1}, {0}), one({1}, {1});
    for (const Jit jit : {Jit::never, Jit::always}) {
        const auto running = gradient(sum(cumprod(some, 0)), some);
        CHECK(numbers(gradient(running, some, Tensor<double>({2}, {0, 1})), jit) == Doubles{1, 0});
        CHECK(numbers(gradient(gradient(sum(pow(two, z)), z), two), jit) == Doubles{0.5});
        CHECK(numbers(gradient(gradient(sum(sinc(z)), z), z), jit)[0] == Catch::Approx(-3.2898681336964524));
        CHECK(numbers(gradient(sum(trigamma(one)), one), jit)[0] == Catch::Approx(-2.4041138063191886));
        const auto second = gradient(gradient(sum(lgamma(one)), one), one);
        CHECK(numbers(gradient(second, one), jit)[0] == Catch::Approx(-2.4041138063191886));
    }
}

TEST_CASE("gradcheck takes generic functions") {
    const auto a = MaskedTensor<double>::coo({2, 2}, {{0, 1}, {0, 1}}, {1, 3});
    CHECK(gradcheck([](auto t) { return sum(t * t); }, a, {.masked = true}).pass);
    CHECK(gradcheck([](auto t) { return to_dense(exp(t), 0); }, a, {.masked = true}).pass);
    CHECK(gradcheck([](auto t, auto u) { return sum(t * u); }, std::tuple(a, a)).pass);
}

}  // namespace eval_gradients_test
