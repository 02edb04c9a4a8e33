// SPDX-License-Identifier: MIT
#include "../../../codegen/loops/known_calls.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace known_calls_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr EvalOptions compiled{.jit = Jit::always}, interpreted{.jit = Jit::never};

std::size_t found() { return codegen::known_calls_found(); }

/// True if the third of three equal calls was a known one, and all returned the interpreter's result.
template <class E>
bool is_known(const E& expression) {
    const auto wanted = eval(expression, interpreted);
    bool are_right = true;
    std::size_t before = 0;
    for (int i = 0; i < 3; ++i) {
        before = found();
        are_right &= same(eval(expression, compiled), wanted);
    }
    CHECK(are_right);
    return found() == before + 1;
}

/// True if a call is right; it may be known or not.
template <class E>
bool is_right(const E& expression) {
    return same(eval(expression, compiled), eval(expression, interpreted));
}

const Shape small{3, 64};

}  // namespace

TEST_CASE("calls that were made before are known in layouts whose memory loops read") {
    const auto dense = random_tensor(small, 1);
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask}) {
        INFO(name_of(layout));
        const double density = layout == Layout::dense ? 1 : 0.5;
        const MaskedTensor<float> m = random_masked(small, specified(density), layout, 2);
        CHECK(is_known(m * m + dense));
        CHECK(is_known(to_dense(m, 2) - dense));
        CHECK(is_known(on(m, dense * 3)));
        CHECK(is_known(mask_of(m)));
        CHECK(is_known(where(dense > 0, m, -m)));
    }
    CHECK(is_known(dense * 2 + 1));
    CHECK(is_known(dense.transpose(0, 1) + dense.transpose(0, 1) * 2));
    CHECK(is_known(sum(dense, {1})));
    CHECK(is_known(softmax(dense, 1)));
    CHECK(is_known(matmul(dense, dense.transpose(0, 1))));
    CHECK(is_known(cat(std::tuple(dense, 2 * dense), 1)));
    CHECK(is_known(cast<double>(dense)));
}

TEST_CASE("calls of words cut by rows are known") {
    const auto dense = random_tensor({3, 6}, 1);
    const MaskedTensor<float> m = random_masked({3, 6}, specified(0.5), Layout::bitmask, 2);
    CHECK(is_known(m * 2 + dense));
}

TEST_CASE("calls of empty tensors are known") {
    const Tensor<float> empty(Shape{0, 4}), line(Shape{0}), full({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(is_known(empty * 2));
    CHECK(is_known(empty + Tensor<float>(Shape{0, 4})));
    CHECK(is_known(sum(empty, {0})));
    CHECK(is_known(sum(empty, {1})));
    CHECK(is_known(matmul(full, empty.transpose(0, 1))));
    CHECK(is_known(matmul(empty.transpose(0, 1), empty)));
    CHECK(is_known(cat(std::tuple(empty, full * 2), 0)));
    CHECK(is_known(softmax(empty, 0)));
    CHECK(is_known(cat(std::tuple(full.slice(0, 1, 1), full), 0) * 2));
    const MaskedTensor<float> none = MaskedTensor<float>::coo({3, 6}, {{}, {}}, {});
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::rows, Layout::bitmask, Layout::strided}) {
        INFO(name_of(layout));
        const MaskedTensor<float> m = none.to(layout);
        CHECK(is_known(m * 2));
        CHECK(is_known(sum(m * m, {1})));
        CHECK(is_known(to_dense(m, 3) + 1));
        CHECK(is_known(matmul(m, random_tensor({6, 2}, 1))));
        const MaskedTensor<float> nothing = masked(empty, Tensor<bool>(Shape{0, 4})).to(layout);
        CHECK(is_known(nothing * 2));
        CHECK(is_known(sum(nothing, {0})));
    }
}

TEST_CASE("a tensor that was moved from is none of a known call") {
    for (const Shape& shape : {Shape{}, Shape{0}}) {
        Tensor<float> gone(shape);
        const Tensor<float> other(shape);
        REQUIRE(is_known(gone - 5));
        REQUIRE(is_known(gone * other));
        const auto there = std::move(gone);
        CHECK_THROWS_AS(eval(gone - 5, compiled), ValueError);
        CHECK_THROWS_AS(eval(gone * other, compiled), ValueError);
        CHECK(is_known(there - 5));
    }
}

TEST_CASE("calls of any number of tensors are known") {
    for (const std::size_t count : {1, 11, 12, 13, 40}) {
        INFO(count);
        std::vector<Tensor<float>> all;
        for (std::size_t i = 0; i < count; ++i) all.push_back(random_tensor({2, 4}, 1 + i));
        CHECK(is_known(cat(all, 0)));
        all.back() = random_tensor({2, 4}, 200);
        CHECK(is_right(cat(all, 0)));
        if (count == 1) continue;
        all.back() = all.front();
        CHECK(is_right(cat(all, 0)));
        all.back() = random_tensor({3, 4}, 201);
        CHECK(is_right(cat(all, 0)));
    }
}

TEST_CASE("a call of many tensors is that of its last ones") {
    std::vector<Tensor<float>> t;
    for (std::size_t i = 0; i < 14; ++i) t.push_back(random_tensor({2, 4}, 1 + i));
    const auto sum_of = [](const auto& v) {
        return v[0] + v[1] * v[2] - v[3] + v[4] * v[5] - v[6] + v[7] * v[8] - v[9] + v[10] * v[11] -
               v[12] / (v[13] + 3);
    };
    REQUIRE(is_known(sum_of(t)));
    t[13] = random_tensor({2, 4}, 50);
    CHECK(is_known(sum_of(t)));
    t[13] = t[12];
    CHECK(is_right(sum_of(t)));
    t[13] = random_tensor({4, 2}, 51).transpose(0, 1);
    CHECK(is_right(sum_of(t)));
    t[13] = random_tensor({2, 1}, 52);
    CHECK(is_right(sum_of(t)));
}

TEST_CASE("a known call is that of equal operands alone") {
    const auto x = random_tensor(small, 1), y = random_tensor(small, 2), z = random_tensor({3, 1}, 3);
    const auto product = [](const auto& a, const auto& b) { return a * b - a; };
    REQUIRE(is_known(product(x, x)));
    CHECK(is_right(product(x, y)));
    REQUIRE(is_known(product(x, y)));
    CHECK(is_right(product(y, x)));
    CHECK(is_right(product(y, y)));
    CHECK(is_right(product(x, z)));
    CHECK(is_right(product(z, z)));
    CHECK(is_right(product(x.slice(1, 0, 64, 2), y.slice(1, 0, 64, 2))));
    CHECK(is_right(product(x.reshape({64, 3}).transpose(0, 1), y)));
    CHECK(is_right(product(y, x.reshape({64, 3}).transpose(0, 1))));
    const auto wide = random_tensor({6, 64}, 4);
    REQUIRE(is_known(product(wide.slice(0, 0, 3), wide.slice(0, 3, 6))));
    CHECK(is_right(product(wide.slice(0, 1, 4), wide.slice(0, 2, 5))));
    CHECK(is_right(product(wide.slice(0, 1, 4), wide.slice(0, 1, 4))));
}

TEST_CASE("shapes, dtypes, layouts and masks of a known call are its own") {
    const auto sum_of = [](const auto& a) { return sum(a * a, {0}) + 1; };
    for (std::int64_t rows = 1; rows < 5; ++rows)
        for (std::int64_t columns : {1, 2, 63, 64, 65})
            CHECK(is_known(sum_of(random_tensor({rows, columns}, 1))));
    const auto x = random_tensor(small, 1);
    CHECK(is_right(sum_of(Tensor<double>(x.to(DType::float64)))));
    CHECK(is_right(sum_of(Tensor<std::int32_t>(x.to(DType::int32)))));
    for (const double density : {0.0, 0.1, 0.5, 1.0})
        for (const Layout layout : {Layout::strided, Layout::bitmask}) {
            const MaskedTensor<float> m = random_masked(small, specified(density), layout, 2);
            CHECK(is_right(sum_of(m)));
            CHECK(is_right(m * m + x));
            CHECK(is_right(sum(m, {1})));
            CHECK(is_right(on(m, matmul(x, random_tensor({64, 64}, 3)))));
        }
}

TEST_CASE("numbers and attributes of a known call are its own") {
    const auto x = random_tensor(small, 1);
    for (const double number : {0.0, -0.0, 1.0, 2.0, 0.5, 3.25, 1e300}) {
        CHECK(is_known(x * number + 2));
        CHECK(is_right(x / number));
        CHECK(is_right(pow(abs(x), number)));
        CHECK(is_right(max(x, number)));
    }
    CHECK(is_right(x * 2 + 2));
    CHECK(is_right(x * 2.0 + 2));
    for (const int dim : {0, 1, -1, 0}) {
        CHECK(is_right(sum(x, {dim})));
        CHECK(is_right(sum(x, {dim}, keepdim)));
        CHECK(is_right(amax(x, {dim})));
        CHECK(is_right(softmax(x, dim)));
        CHECK(is_right(cumsum(x, dim)));
        CHECK(is_right(var(x, dim)));
    }
    CHECK(is_right(sum(x)));
    for (const std::int64_t start : {0, 1, 2, -3}) {
        CHECK(is_right(x[{all, slice(start, std::nullopt)}] * 2));
        CHECK(is_right(select(x, 1, start)));
        CHECK(is_right(roll(x, start, 1)));
    }
    for (int i = 0; i < 2; ++i) {
        CHECK(is_right(reshape(x, {64, 3}) * 2));
        CHECK(is_right(reshape(x, {6, 32}) * 2));
        CHECK(is_right(x[{1}]));
        CHECK(is_right(x[{2}]));
    }
}

TEST_CASE("operations of one name and tensors of one memory are told apart") {
    const auto x = random_tensor({8, 8}, 1);
    CHECK(is_known(cast<double>(x)));
    CHECK(is_right(cast<std::int32_t>(x)));
    CHECK(is_right(cast<bool>(x)));
    const MaskedTensor<float> m = random_masked({8, 8}, specified(0.5), Layout::strided, 2);
    const MaskedTensor<float> n = random_masked({8, 8}, specified(0.5), Layout::strided, 3);
    CHECK(is_known(intersect(m + n)));
    CHECK(is_right(intersect(m * n)));
    CHECK(is_right(unite(m + n)));
    CHECK(is_right(unite(m * n)));
    const auto mask = Tensor<bool>(m.mask());
    const auto turned = masked(Tensor<float>(x.transpose(0, 1)), mask), straight = masked(x, mask);
    CHECK(is_known(straight - turned));
    CHECK(is_right(turned - straight));
    CHECK(is_known(turned - straight));
    CHECK(is_known(straight - straight));
}

TEST_CASE("numbers that change with each call leave what is known alone") {
    const auto x = random_tensor({2, 4}, 1);
    REQUIRE(is_known(x + 7));
    for (int i = 0; i < 2000; ++i) static_cast<void>(eval(x * (0.1 * i), compiled));
    const std::size_t before = found();
    static_cast<void>(eval(x + 7, compiled));
    CHECK(found() == before + 1);
}

TEST_CASE("what was not used for long is forgotten, and right when it comes again") {
    const auto line = random_tensor({1000}, 1);
    for (int round = 0; round < 3; ++round)
        for (std::int64_t length = 1; length <= 700; ++length) {
            const auto part = Tensor<float>(line.slice(0, 0, length));
            const auto made = eval(part * 3, compiled);
            REQUIRE(made.size() == length);
            REQUIRE(made.data()[length - 1] == part.data()[length - 1] * 3);
        }
}

TEST_CASE("a known call has memory of its own, and keeps no operand") {
    const Tensor<float> x({2, 2}, {1, 2, 3, 4});
    const Tensor<bool> mask({2, 2}, {true, false, true, true});
    const auto m = masked(x, mask);
    REQUIRE(is_known(m * x));
    const auto first = eval(m * x, compiled), second = eval(m * x, compiled);
    CHECK(first.values().data() != second.values().data());
    CHECK(first.mask().data() != second.mask().data());
    CHECK(first.mask().data() != m.mask().data());
    x.at({0, 0}) = 5;
    CHECK(*static_cast<const float*>(eval(m * x, compiled).values().data()) == 25);
    mask.at({0, 1}) = true;
    CHECK(eval(m * x, compiled).specified_count() == 4);
    CHECK(first.specified_count() == 3);
}

TEST_CASE("errors of known calls are those of others") {
    const Tensor<std::int32_t> a({2, 2}, {1, 2, 3, 4}), b({2, 2}, {1, 2, 2, 1});
    REQUIRE(is_known(floor_divide(a, b)));
    b.at({1, 0}) = 0;
    CHECK_THROWS_MATCHES(eval(floor_divide(a, b), compiled), ValueError,
                         Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("[1, 0]")));
    const Tensor<float> x({2}, {1, 2});
    const Tensor<bool> p({2}, {true, false}), q({2}, {true, false});
    const auto left = masked(x, p), other = masked(x, q);
    REQUIRE(is_known(left + other));
    q.at({1}) = true;
    CHECK_THROWS_MATCHES(
        eval(left + other, compiled), MaskMismatch,
        Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("operand 1 of add")));
    Tensor<float> gone({2}, {1, 2});
    REQUIRE(is_known(gone * x));
    const auto there = std::move(gone);
    CHECK_THROWS_AS(eval(gone * x, compiled), ValueError);
    CHECK_THROWS_AS(eval(there * x, EvalOptions{.jit = Jit::always, .target = TargetName{"abacus"}}),
                    TargetError);
}

TEST_CASE("policies, options and FRISKET_TARGET decide before what is known does") {
    const auto x = random_tensor({2, 4}, 9);
    REQUIRE(is_known(x - 11));
    const auto finds = [&](const EvalOptions& options) {
        const std::size_t before = found();
        CHECK(same(eval(x - 11, options), eval(x - 11, interpreted)));
        return found() > before;
    };
    CHECK(finds(compiled));
    CHECK_FALSE(finds(interpreted));
    CHECK_FALSE(finds({.jit = Jit::always, .target = TargetName{"x86-64"}}));
    const EvalPolicy before = eval_policy();
    for (int i = 0; i < 8; ++i) static_cast<void>(eval(x - 11));
    CHECK(finds({}));
    set_eval_policy(before);
    CHECK_FALSE(finds({}));
    setenv("FRISKET_TARGET", "abacus", 1);
    CHECK_THROWS_AS(eval(x - 11, compiled), TargetError);
    unsetenv("FRISKET_TARGET");
    CHECK(finds({.jit = Jit::always, .target = TargetName{"cpu"}}));
}

TEST_CASE("any number of threads may make a known call") {
    const auto x = random_tensor({2, 4}, 1);
    const auto wanted = eval(x * x + 13, interpreted);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const auto own = random_tensor({2 + t, 4}, 2);
            const auto own_wanted = eval(own * own + 13, interpreted);
            for (int i = 0; i < 500; ++i) {
                wrong += !same(eval(x * x + 13, compiled), wanted);
                wrong += !same(eval(own * own + 13, compiled), own_wanted);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

}  // namespace known_calls_test
