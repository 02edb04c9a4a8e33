// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

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

TEST_CASE("gradcheck takes generic functions") {
    const auto a = MaskedTensor<double>::coo({2, 2}, {{0, 1}, {0, 1}}, {1, 3});
    CHECK(gradcheck([](auto t) { return sum(t * t); }, a, {.masked = true}).pass);
    CHECK(gradcheck([](auto t) { return to_dense(exp(t), 0); }, a, {.masked = true}).pass);
    CHECK(gradcheck([](auto t, auto u) { return sum(t * u); }, std::tuple(a, a)).pass);
}

}  // namespace eval_gradients_test
