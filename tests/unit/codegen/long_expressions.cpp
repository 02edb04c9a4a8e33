// SPDX-License-Identifier: MIT
// Expressions of more operations than one body has.
#include "../../../runtime/limits.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <pthread.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace long_expressions_test {

using namespace frisket;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int most = static_cast<int>(limits::operations_of_a_body);

const Tensor<float> x({2, 3}, {0.5F, -1, 2, 0.25F, -0.75F, 1.5F});

/// Adds 1 the given number of times.
template <class E>
E sum_of_ones(E e, int count) {
    for (int i = 0; i < count; ++i) e = e + 1.0F;
    return e;
}

/// Calls a function in a thread with a stack of 256 KB.
template <class Body>
void on_a_small_stack(Body body) {
    constexpr std::size_t bytes = 256 << 10;
    pthread_attr_t attributes;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
    pthread_t thread;
    const auto call = [](void* given) -> void* {
        (*static_cast<Body*>(given))();
        return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, call, &body) == 0);
    REQUIRE(pthread_join(thread, nullptr) == 0);
    pthread_attr_destroy(&attributes);
}

/// Derivative of n nested e -> tanh(e) * e + 0.1, by the chain rule.
double nested_slope(double e, int count) {
    double slope = 1;
    for (int i = 0; i < count; ++i) {
        const double t = std::tanh(e);
        slope *= (1 - t * t) * e + t;
        e = t * e + 0.1;
    }
    return slope;
}

}  // namespace

TEST_CASE("a chain of any length adds all that it is made of", "[codegen]") {
    for (const int count : {most - 1, most, most + 1, 4000, 30'000}) {
        CAPTURE(count);
        const auto e = sum_of_ones<Expression<float>>(x, count);
        Tensor<float> expected = x.clone();
        for (int i = 0; i < count; ++i)
            for (std::int64_t k = 0; k < x.size(); ++k) expected.data()[k] += 1;
        CHECK(same(eval(e, {.jit = Jit::always}), expected));
        CHECK(same(eval(e, {.jit = Jit::never}), expected));
        CHECK(same(eval(e), expected));
    }
}

TEST_CASE("a chain of any length is interpreted on a small stack", "[codegen]") {
    const auto e = sum_of_ones<Expression<float>>(x, 30'000);
    Tensor<float> found;
    on_a_small_stack([&] { found = eval(e, {.jit = Jit::never}); });
    CHECK(same(found, eval(e, {.jit = Jit::never})));
}

TEST_CASE("long expressions of lists and masks keep these", "[codegen]") {
    const Layout layout = GENERATE(Layout::strided, Layout::bitmask, Layout::coo, Layout::csr);
    CAPTURE(name_of(layout));
    const auto m = MaskedTensor<float>::coo({2, 3}, {{0, 1, 1}, {2, 0, 1}}, {1, 2, 3}).to(layout);
    const auto e = sum_of_ones<MaskedExpression<float>>(m, most + 100);
    const MaskedTensor<float> found = eval(e * x, {.jit = Jit::always});
    CHECK(found.layout() == eval(m * x, {.jit = Jit::always}).layout());
    const auto expected = MaskedTensor<float>::coo(
        {2, 3}, {{0, 1, 1}, {2, 0, 1}},
        {(1 + most + 100) * 2.0F, (2 + most + 100) * 0.25F, (3 + most + 100) * -0.75F});
    CHECK(same(found.to(Layout::coo), expected));
    CHECK(same(eval(e * x, {.jit = Jit::never}).to(Layout::coo), expected));
}

TEST_CASE("a masked value of an early part is read with its mask by a late one", "[codegen]") {
    const Expression<float> dense = x;
    const MaskedExpression<float> kept = masked(dense * 2.0F, dense > 0.0F);
    const Expression<float> early = to_dense(kept, 0.0F);
    const auto late = sum_of_ones<Expression<float>>(early, most + 100) + to_dense(kept, 7.0F);
    Tensor<float> expected({2, 3});
    for (std::int64_t i = 0; i < x.size(); ++i) {
        const float value = x.data()[i];
        expected.data()[i] = most + 100 + (value > 0 ? 4 * value : 7.0F);
    }
    CHECK(same(eval(late, {.jit = Jit::always}), expected));
    CHECK(same(eval(late, {.jit = Jit::never}), expected));
}

TEST_CASE("gradients of deeply nested functions are those of the chain rule", "[codegen]") {
    constexpr int depth = 200;
    const Tensor<double> at({4}, {2.5, 3, -4, 0.5});
    Expression<double> e = at;
    for (int i = 0; i < depth; ++i) e = tanh(e) * e + 0.1;
    const auto slope = gradient(sum(e), at);
    const MaskedTensor<double> found = eval(slope, {.jit = Jit::always});
    const Tensor<double> values = found.to_dense(0);
    CHECK(same(found, eval(slope, {.jit = Jit::never})));
    for (std::int64_t i = 0; i < at.size(); ++i) {
        const double expected = nested_slope(at.data()[i], depth);
        CHECK(expected != 0);
        CHECK(std::abs(values.data()[i] - expected) <= 1e-10 * std::abs(expected));
    }
}

TEST_CASE("a long expression is explained with its parts", "[codegen]") {
    CHECK_THAT(explain(sum_of_ones<Expression<float>>(x, most + 1), Run::yes),
               ContainsSubstring(" parts, as it is long"));
    CHECK_THAT(explain(sum_of_ones<Expression<float>>(x, most), Run::yes),
               !ContainsSubstring("as it is long"));
}

}  // namespace long_expressions_test
