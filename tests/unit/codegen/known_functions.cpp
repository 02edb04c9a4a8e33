// SPDX-License-Identifier: MIT
// Calls of functions that were made before run without a graph: numbers change from call to call.
#include "../../../codegen/loops/known_calls.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_exception.hpp>

#include <atomic>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace known_functions_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr In<"a"> a;
constexpr In<"b"> b;
constexpr Masked<"m"> m;
constexpr Scalar<"by"> by;
constexpr auto scaled = function<"scaled">(a * by + b);
constexpr auto masked_rows = function<"masked_rows">(sum(to_dense(m * b, 0.0F), {1}), m* by);
constexpr In<"ids", std::int64_t> ids;
constexpr auto chosen = function<"chosen">(a[ids]);
constexpr In<"i", std::int32_t> i32;
constexpr In<"j", std::int32_t> j32;
constexpr Scalar<"times", std::int64_t> times;
constexpr auto whole = function<"whole">(i32 * times + j32);

/// Symbols of a function of many.
template <std::size_t I>
constexpr In<Name<2>(std::string_view("abcdefghijklmn").substr(I, 1))> tensor_of;
template <std::size_t I>
constexpr Scalar<Name<2>(std::string_view("ABCDEFGHIJKLMN").substr(I, 1))> number_of;
using Many = std::make_index_sequence<14>;
template <std::size_t... I>
constexpr auto sum_of_many(std::index_sequence<I...> /*symbols*/) {
    return function<"many">((... + (tensor_of<I> * number_of<I>)));
}
template <class Kernel, std::size_t... I>
Tensor<float> call_many(const Kernel& kernel, const std::vector<Tensor<float>>& tensors, double number,
                        std::index_sequence<I...> /*symbols*/) {
    return kernel((tensor_of<I> = tensors[I])..., (number_of<I> = number + I)...);
}

/// Number of known calls among three equal calls.
std::size_t known_of_three(const std::function<void()>& call) {
    const std::size_t before = codegen::known_calls_found();
    for (int i = 0; i < 3; ++i) call();
    return codegen::known_calls_found() - before;
}

}  // namespace

TEST_CASE("a function that was called before is known, whatever its numbers and tensors") {
    const auto call = jit(scaled);
    for (const Shape& shape : {Shape{2, 4}, Shape{3, 5, 7}, Shape{1}}) {
        INFO(to_string(shape));
        float number = 1;
        std::uint32_t seed = 1;
        CHECK(known_of_three([&] {
                  number += 0.5F;
                  const Tensor<float> x = random_tensor(shape, ++seed), y = random_tensor(shape, ++seed);
                  CHECK(same(call(a = x, b = y, by = number), eval(x * number + y, {.jit = Jit::never})));
              }) == 1);
    }
}

TEST_CASE("a function of many tensors and numbers is known, whatever they are") {
    const auto call = jit(sum_of_many(Many()));
    double number = 0;
    CHECK(known_of_three([&] {
              number += 0.5;
              std::vector<Tensor<float>> tensors;
              for (std::size_t i = 0; i < Many::size(); ++i)
                  tensors.push_back(random_tensor({2, 4}, static_cast<std::uint64_t>(100 * number) + i));
              Tensor<float> wanted = eval(tensors[0] * static_cast<float>(number), {.jit = Jit::never});
              for (std::size_t i = 1; i < tensors.size(); ++i)
                  wanted = eval(wanted + tensors[i] * static_cast<float>(number + static_cast<double>(i)),
                                {.jit = Jit::never});
              CHECK(same(call_many(call, tensors, number, Many()), wanted));
          }) == 1);
}

TEST_CASE("a function of empty tensors is known") {
    const auto call = jit(scaled);
    float number = 1;
    CHECK(known_of_three([&] {
              number += 1;
              const Tensor<float> made =
                  call(a = Tensor<float>(Shape{0, 4}), b = Tensor<float>(Shape{0, 4}), by = number);
              CHECK(made.shape() == Shape{0, 4});
          }) == 1);
}

TEST_CASE("a whole number of a known call that does not fit is refused, and others go on") {
    const auto call = jit(whole);
    const Tensor<std::int32_t> x({2}, {1, 2}), y({2}, {10, 20});
    for (const std::int64_t number : {3, 4, 5, 6})
        CHECK(same(call(i32 = x, j32 = y, times = number),
                   Tensor<std::int32_t>({2}, {static_cast<std::int32_t>(number) + 10,
                                              2 * static_cast<std::int32_t>(number) + 20})));
    CHECK_THROWS_AS(call(i32 = x, j32 = y, times = std::int64_t{1} << 40), DTypeError);
    CHECK(same(call(i32 = x, j32 = y, times = std::int64_t{7}), Tensor<std::int32_t>({2}, {17, 34})));
}

TEST_CASE("one tensor for two parameters, and views of one memory, are calls of their own") {
    const auto call = jit(scaled);
    const Tensor<float> square = random_tensor({4, 4}, 1), other = random_tensor({4, 4}, 2);
    for (int i = 0; i < 3; ++i) {
        CHECK(
            same(call(a = square, b = square, by = 2.0F), eval(square * 2.0F + square, {.jit = Jit::never})));
        CHECK(same(call(a = square, b = other, by = 2.0F), eval(square * 2.0F + other, {.jit = Jit::never})));
        const Tensor<float> turned = square.transpose(0, 1);
        CHECK(
            same(call(a = square, b = turned, by = 2.0F), eval(square * 2.0F + turned, {.jit = Jit::never})));
    }
}

TEST_CASE("masks of a known function are looked at in each call") {
    const auto call = jit(masked_rows);
    const Tensor<float> dense = random_tensor({6, 64}, 9);
    for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo, Layout::csr})
        for (std::uint32_t seed = 1; seed < 5; ++seed) {
            INFO(name_of(layout) << " " << seed);
            const MaskedTensor<float> list = random_masked({6, 64}, specified(0.1 * seed), layout, seed);
            const auto [sums, products] = call(m = list, b = dense, by = 3.0F);
            CHECK(same(sums, eval(sum(to_dense(list * dense, 0.0F), {1}), {.jit = Jit::never})));
            CHECK(same(products, eval(list * 3.0F, {.jit = Jit::never})));
        }
}

TEST_CASE("a known function refuses indices out of range, and goes on") {
    const auto call = jit(chosen);
    const Tensor<float> table({3}, {1, 2, 3});
    for (int i = 0; i < 3; ++i)
        CHECK(same(call(a = table, ids = Tensor<std::int64_t>({2}, {2, 0})), Tensor<float>({2}, {3, 1})));
    CHECK_THROWS_AS(call(a = table, ids = Tensor<std::int64_t>({2}, {2, 7})), IndexError);
    CHECK(same(call(a = table, ids = Tensor<std::int64_t>({2}, {1, 1})), Tensor<float>({2}, {2, 2})));
}

TEST_CASE("functions of one name are two, and any number of threads may call one") {
    constexpr auto other = function<"scaled">(a * by - b);
    const auto plus = jit(scaled);
    const auto minus = jit(other);
    const Tensor<float> x = random_tensor({8, 8}, 1), y = random_tensor({8, 8}, 2);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                const auto number = static_cast<float>(50 * t + i);
                wrong += !same(plus(a = x, b = y, by = number), eval(x * number + y, {.jit = Jit::never}));
                wrong += !same(minus(a = x, b = y, by = number), eval(x * number - y, {.jit = Jit::never}));
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

}  // namespace known_functions_test
