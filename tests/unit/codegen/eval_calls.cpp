// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <limits>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

namespace eval_calls_test {

using namespace frisket;

namespace {

using Floats = std::vector<float>;

/// A policy for one test.
class Policy {
public:
    explicit Policy(const EvalPolicy& policy) { set_eval_policy(policy); }
    ~Policy() { set_eval_policy(before_); }
    Policy(const Policy&) = delete;
    Policy& operator=(const Policy&) = delete;

private:
    EvalPolicy before_ = eval_policy();
};

}  // namespace

TEST_CASE("views of one memory are operands of their own") {
    const Tensor<float> t({2, 2}, {1, 2, 3, 4});
    const EvalOptions ways[] = {{.jit = Jit::never}, {.jit = Jit::always}};
    for (const EvalOptions& how : ways) {
        CHECK(eval(t - t.transpose(0, 1), how).to_vector() == Floats{0, -1, 1, 0});
        CHECK(eval(t.slice(0, 0, 1) - t.slice(0, 1, 2), how).to_vector() == Floats{-2, -2});
        const Tensor<bool> mask({2, 2}, {true, true, false, true});
        const auto m = masked(t, mask), turned = masked(t, mask.transpose(0, 1));
        CHECK(eval(intersect(m + turned), how).specified_count() == 2);
    }
}

TEST_CASE("rows of a bit mask may end anywhere in a word") {
    for (const std::int64_t columns : {1, 31, 32, 33, 63, 64, 65, 96, 127, 128, 160, 192}) {
        const MaskedTensor<float> plain =
            testing::random_masked({5, columns}, testing::specified(0.5), Layout::strided, 7);
        const MaskedTensor<float> bits = plain.to(Layout::bitmask);
        INFO("rows of " << columns);
        for (const Jit jit : {Jit::never, Jit::always}) {
            CHECK(same(eval(count(bits, {1}), {.jit = jit}), eval(count(plain, {1}), {.jit = jit})));
            CHECK(same(eval(cumsum(bits, 1) * 2, {.jit = jit}), eval(cumsum(plain, 1) * 2, {.jit = jit})));
        }
    }
}

TEST_CASE("a reduction over what was broadcast has the extents of the whole, whichever operand comes first") {
    const Tensor<float> row = arange<float>(3).reshape({1, 3}), whole = arange<float>(15).reshape({5, 3});
    const Tensor<float> column = arange<float>(5).reshape({5, 1});
    for (const Jit jit : {Jit::never, Jit::always}) {
        const EvalOptions how{.jit = jit};
        const std::vector<float> wanted{30, 40, 50};  // 0 + 3 + … + 12 and 5 times the row
        CHECK(eval(sum(row + whole, {0}), how).to_vector() == wanted);
        CHECK(eval(sum(whole + row, {0}), how).to_vector() == wanted);
        CHECK(eval(sum(row + column), how).to_vector() == std::vector<float>{45});
        CHECK(eval(cumsum(row * column, 0), how).at({4, 2}) == 20);
        CHECK(eval(reshape(row + column, {15}), how).at({14}) == 6);
    }
}

TEST_CASE("a sum over a tensor that threads share takes every element once") {
    for (const std::int64_t size : {131071, 131072, 131073, 133119, 133120, 133121, 1'000'003}) {
        const Tensor<double> ones = full<double>({size}, 1);
        const Tensor<bool> mask = full<bool>({size}, true);
        mask.data()[size - 1] = false;
        INFO("of " << size);
        CHECK(eval(sum(ones), {.jit = Jit::always}).item() == static_cast<double>(size));
        CHECK(eval(sum(masked(ones, mask)), {.jit = Jit::always}).item() == static_cast<double>(size - 1));
    }
}

TEST_CASE("the result of eval is a Tensor or a MaskedTensor, as the type says") {
    const Tensor<float> t = arange<float>(4);
    const auto m = MaskedTensor<double>::coo({4}, {{1}}, {2});
    STATIC_CHECK(std::is_same_v<decltype(eval(t > 1)), Tensor<bool>>);
    STATIC_CHECK(std::is_same_v<decltype(eval(m * t)), MaskedTensor<double>>);
    STATIC_CHECK(std::is_same_v<decltype(eval(Tensor<const float>(t))), Tensor<float>>);
    STATIC_CHECK(std::is_same_v<decltype(eval(count(m))), Tensor<std::int64_t>>);
    STATIC_CHECK(std::is_same_v<decltype(eval(m)), MaskedTensor<double>>);
}

TEST_CASE("several expressions are evaluated together") {
    const Tensor<float> t = arange<float>(4);
    auto [plus, total, is_large] = eval(t + 1, sum(t), t > 2);
    STATIC_CHECK(std::is_same_v<decltype(is_large), Tensor<bool>>);
    CHECK(plus.to_vector() == Floats{1, 2, 3, 4});
    CHECK(total.to_vector() == Floats{6});
    CHECK(is_large.at({3}));
}

TEST_CASE("a result has memory of its own") {
    const Tensor<float> t = arange<float>(4).reshape({2, 2});
    for (const Jit jit : {Jit::never, Jit::always}) {
        const Tensor<float> same_elements = eval(t, {.jit = jit}), turned = eval(transpose(t), {.jit = jit});
        same_elements.at({0, 0}) = 7;
        turned.at({0, 1}) = 8;
        CHECK(t.to_vector() == Floats{0, 1, 2, 3});
        CHECK(turned.is_contiguous());
    }
    auto [a, b] = eval(t + 1, t + 1);
    a.at({0, 0}) = 7;
    CHECK(b.at({0, 0}) == 1);
}

TEST_CASE("an expression holds its tensors") {
    const auto expression = [] {
        const Tensor<float> gone = full<float>({3}, 2);
        return gone * gone;
    }();
    CHECK(eval(expression).to_vector() == Floats{4, 4, 4});
}

TEST_CASE("compiled and interpreted expressions agree") {
    const Tensor<float> t = arange<float>(35).reshape({5, 7});
    const auto m = masked(t, eval(t % 3 == 0));
    const auto agree = [](const auto& expression) {
        return same(eval(expression, {.jit = Jit::never}), eval(expression, {.jit = Jit::always}));
    };
    CHECK(agree(m * m + 1));
    CHECK(agree(sum(m * m, {1}, keepdim)));
    CHECK(agree(unite(m + masked(t, t > 20))));
    CHECK(agree(m[t > 12]));
    CHECK(agree(cat(std::tuple(m, 2 * m), 1)[{0, slice(2, 9)}]));
    CHECK(agree(argmax(m, 0)));
}

TEST_CASE("the position of an extreme is that of the first specified NaN") {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor<float> t({3, 4}, {3, nan, 5, nan, -1, 2, nan, 0, 4, 1, 2, 3});
    const auto m = masked(
        t, Tensor<bool>({3, 4}, {true, true, true, true, true, true, false, true, true, true, true, true}));
    using Positions = std::vector<std::int64_t>;
    for (const Jit jit : {Jit::never, Jit::always}) {
        CHECK(eval(argmax(t, 1), {.jit = jit}).to_vector() == Positions{1, 2, 0});
        CHECK(eval(to_dense(argmin(m, 1), -1), {.jit = jit}).to_vector() == Positions{1, 0, 1});
    }
}

TEST_CASE("an expression is compiled once it has been met often, or is large, as the policy says") {
    const Tensor<float> t = arange<float>(3);
    const Policy policy({.small_elements = 100, .few_times = 2});
    for (int i = 0; i < 4; ++i) CHECK(eval(t * 3 - 2).to_vector() == Floats{-2, 1, 4});
    CHECK(eval(sum(arange<float>(1000))).to_vector() == Floats{499500});
    CHECK(eval_policy().few_times == 2);
}

TEST_CASE("expressions are evaluated in several threads at once") {
    const Tensor<float> t = arange<float>(100);
    std::vector<std::thread> threads;
    std::vector<float> sums(4);
    for (std::size_t i = 0; i < sums.size(); ++i)
        threads.emplace_back([&, i] {
            for (int again = 0; again < 10; ++again) sums[i] = eval(sum(t + 1)).at({});
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(sums == Floats(4, 5050));
}

TEST_CASE("empty and 0-d tensors are evaluated") {
    CHECK(eval(sum(Tensor<float>(Shape{0, 3}), {0})).to_vector() == Floats{0, 0, 0});
    CHECK(eval(masked(Tensor<float>(Shape{0}), Tensor<float>(Shape{0}) > 1)).shape() == Shape{0});
    CHECK(eval(full<float>({}, 3) * 2).to_vector() == Floats{6});
}

TEST_CASE("a mismatch of masks names operands by their places, shapes and layouts") {
    using Catch::Matchers::ContainsSubstring, Catch::Matchers::MessageMatches;
    const auto a = MaskedTensor<float>::coo({2, 4}, {{0, 1}, {1, 2}}, {1, 2});
    const auto b = MaskedTensor<float>::coo({2, 4}, {{0}, {1}}, {3}).to(Layout::bitmask);
    for (const Jit jit : {Jit::never, Jit::always}) {
        const EvalOptions options{.jit = jit};
        CHECK_THROWS_MATCHES(eval(exp(a) * 2 + b, options), MaskMismatch,
                             MessageMatches(ContainsSubstring(
                                 "operand 1 of add (shape [2, 4], layout coo) and operand 2 of add "
                                 "(shape [2, 4], layout bitmask) specify different elements (2 and "
                                 "1), first at [1, 2], which only operand 1 of add specifies")));
        CHECK_THROWS_MATCHES(eval(on(a, -b), options), MaskMismatch,
                             MessageMatches(ContainsSubstring("operand 1 of on (shape [2, 4], layout coo)")));
        CHECK_THROWS_MATCHES(eval(a[0] * b[1], options), MaskMismatch,
                             MessageMatches(!ContainsSubstring("x0") && !ContainsSubstring("x1") &&
                                            ContainsSubstring("layout bitmask")));
    }
}

}  // namespace eval_calls_test
