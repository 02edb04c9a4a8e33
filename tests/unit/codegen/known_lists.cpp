// SPDX-License-Identifier: MIT
// Calls over lists: planned once, run again for other elements.
#include "../../../codegen/loops/known_calls.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace known_lists_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr EvalOptions compiled{.jit = Jit::always}, interpreted{.jit = Jit::never};
constexpr Layout lists[] = {Layout::coo, Layout::rows, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc};

std::size_t found() { return codegen::known_calls_found(); }

/// Calls until the call is known.
template <class E>
bool becomes_known(const E& expression) {
    for (int i = 0; i < 2; ++i) static_cast<void>(eval(expression, compiled));
    const std::size_t before = found();
    static_cast<void>(eval(expression, compiled));
    return found() == before + 1;
}

/// True if a call was a known one and returns the interpreter's result.
template <class E>
bool is_known(const E& expression) {
    const auto wanted = eval(expression, interpreted);
    const std::size_t before = found();
    return same(eval(expression, compiled), wanted) && found() == before + 1;
}

/// Whole numbers, of which sums are exact in any order.
Tensor<float> whole_numbers(const Shape& shape, std::uint32_t seed) {
    return eval(floor(random_tensor(shape, seed) * 8), interpreted);
}

MaskedTensor<float> list(const Shape& shape, double density, Layout layout, std::uint32_t seed) {
    const MaskedTensor<float> m = random_masked(shape, specified(density), layout, seed);
    return eval(floor(m * 8), interpreted).to(layout);
}

/// Sums of the rows of squares times a dense tensor, as a loop over all elements.
std::vector<float> row_sums(const MaskedTensor<float>& m, const Tensor<float>& dense) {
    const Tensor<float> values = m.to_dense(0);
    std::vector<float> sums(static_cast<std::size_t>(m.shape()[0]));
    for (std::int64_t i = 0; i < m.shape()[0]; ++i)
        for (std::int64_t j = 0; j < m.shape()[1]; ++j)
            sums[static_cast<std::size_t>(i)] += values.at({i, j}) * values.at({i, j}) * dense.at({i, j});
    return sums;
}

}  // namespace

TEST_CASE("calls over lists are known whatever the lists store") {
    const Shape shape{6, 8};
    const auto dense = whole_numbers(shape, 1), factor = whole_numbers({8, 3}, 2);
    const auto check = [&](const auto& make) {
        for (const Layout layout : lists) {
            INFO(name_of(layout));
            REQUIRE(becomes_known(make(list(shape, 0.5, layout, 3))));
            // None, one, few, most and all: extents of 1 have loops of their own.
            for (const double density : {0.0, 0.02, 0.3, 0.6, 1.0})
                for (std::uint32_t seed = 4; seed < 7; ++seed)
                    CHECK(is_known(make(list(shape, density, layout, seed))));
        }
    };
    check([](const auto& m) { return m * 2; });
    check([&](const auto& m) { return m * dense + m; });
    check([](const auto& m) { return sum(m * m, {1}); });
    check([](const auto& m) { return softmax(m, 1); });
    check([&](const auto& m) { return matmul(m, factor); });
    check([&](const auto& m) { return to_dense(m, 1) - dense; });
    check([&](const auto& m) { return gradient(sum(m * dense), dense); });
    check([](const auto& m) { return transpose(m, 0, 1) * 2; });
}

TEST_CASE("calls over lists are known from one on that stores nothing") {
    const Shape shape{6, 10};
    const auto dense = whole_numbers(shape, 1), factor = whole_numbers({10, 3}, 2);
    const auto check = [&](const auto& make) {
        for (const Layout layout : lists) {
            INFO(name_of(layout));
            REQUIRE(becomes_known(make(list(shape, 0, layout, 3))));
            for (const double density : {0.5, 0.02, 0.0, 1.0})
                CHECK(is_known(make(list(shape, density, layout, 4))));
        }
    };
    check([](const auto& m) { return m * 2; });
    check([&](const auto& m) { return m * dense + m; });
    check([](const auto& m) { return sum(m * m, {1}); });
    check([](const auto& m) { return softmax(m, 1); });
    check([&](const auto& m) { return matmul(m, factor); });
    check([&](const auto& m) { return gradient(sum(m * dense), dense); });
}

TEST_CASE("known calls over lists give the sums of a loop over all elements") {
    const Shape shape{5, 9};
    const auto dense = whole_numbers(shape, 1);
    for (const Layout layout : lists) {
        INFO(name_of(layout));
        const auto sums = [&](const MaskedTensor<float>& m) { return sum(m * m * dense, {1}); };
        REQUIRE(becomes_known(sums(list(shape, 0.7, layout, 2))));
        for (std::uint32_t seed = 3; seed < 12; ++seed) {
            const auto m = list(shape, 0.1 * seed, layout, seed);
            const std::size_t before = found();
            const Tensor<float> made = eval(sums(m), compiled).to_dense(0);
            CHECK(found() == before + 1);
            const std::vector<float> wanted = row_sums(m, dense);
            for (std::int64_t i = 0; i < shape[0]; ++i)
                CHECK(made.at({i}) == wanted[static_cast<std::size_t>(i)]);
        }
    }
}

TEST_CASE("a known call over several lists is that of their patterns") {
    const Shape shape{6, 8};
    const auto both = [](const auto& a, const auto& b) { return unite(a + b); };
    const auto met = [](const auto& a, const auto& b) { return intersect(a * b); };
    for (const Layout layout : {Layout::coo, Layout::rows, Layout::csr}) {
        INFO(name_of(layout));
        const auto a = list(shape, 0.4, layout, 1), b = list(shape, 0.4, layout, 2), copy = a.clone();
        const MaskedTensor<float> alike = eval(a * 3, interpreted);
        // In either order of first calls.
        for (int turn = 0; turn < 3; ++turn)
            for (const auto& other : {b, copy, alike}) {
                CHECK(same(eval(both(a, other), compiled), eval(both(a, other), interpreted)));
                CHECK(same(eval(met(a, other), compiled), eval(met(a, other), interpreted)));
                CHECK(same(eval(both(other, a), compiled), eval(both(other, a), interpreted)));
            }
        REQUIRE(becomes_known(both(a, copy)));
        CHECK(is_known(both(copy, a)));
        REQUIRE(becomes_known(a + copy));
        CHECK_THROWS_MATCHES(
            eval(a + b, compiled), MaskMismatch,
            Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("operand 1 of add")));
        CHECK(is_known(a + copy));
        CHECK(same(eval(a + a, compiled), eval(a * 2, interpreted)));
    }
}

TEST_CASE("a known call over lists is that of what their counts decide") {
    const Shape shape{40, 40};
    const auto left = whole_numbers({40, 30}, 1), right = whole_numbers({30, 40}, 2);
    const auto product = [&](const auto& m) { return on(m, matmul(left, right)); };
    const auto of_all = [&](const MaskedTensor<float>& m) {
        Tensor<float> made = zeros<float>(shape);
        const Tensor<bool> mask(m.to(Layout::strided).mask());
        for (std::int64_t i = 0; i < 40; ++i)
            for (std::int64_t j = 0; j < 40; ++j)
                for (std::int64_t k = 0; k < 30 && mask.at({i, j}); ++k)
                    made.at({i, j}) += left.at({i, k}) * right.at({k, j});
        return made;
    };
    for (const Layout layout : {Layout::coo, Layout::csr})
        for (int turn = 0; turn < 3; ++turn)
            for (const double density : {0.02, 0.7, 0.05, 1.0}) {
                const auto m = list(shape, density, layout, 3);
                const MaskedTensor<float> made = eval(product(m), compiled);
                CHECK(same(made, eval(product(m), interpreted)));
                CHECK(same(made.to_dense(0), of_all(m)));
                CHECK(same(eval(sum(product(m) * m, {1}), compiled),
                           eval(sum(product(m) * m, {1}), interpreted)));
            }
}

TEST_CASE("errors of known calls over lists are those of others") {
    const Shape shape{2, 3};
    const Tensor<std::int32_t> by(shape, {1, 2, 3, 4, 5, 6});
    const auto m = MaskedTensor<std::int32_t>::coo(shape, {{0, 1}, {1, 2}}, {7, 8});
    REQUIRE(becomes_known(floor_divide(m, by)));
    by.at({0, 0}) = 0;  // nothing is divided there
    CHECK(is_known(floor_divide(m, by)));
    by.at({1, 2}) = 0;
    CHECK_THROWS_MATCHES(eval(floor_divide(m, by), compiled), ValueError,
                         Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("[1, 2]")));
    by.at({1, 2}) = 2;
    CHECK(is_known(floor_divide(m, by)));
}

TEST_CASE("numbers of a known function over lists are those of the call") {
    constexpr Masked<"m"> m;
    constexpr Scalar<"by"> by;
    const auto scaled = jit(function<"scaled">(sum(m * m * by, {1})));
    const Shape shape{4, 5};
    for (std::uint32_t seed = 1; seed < 20; ++seed) {
        const auto x = list(shape, 0.5, Layout::coo, seed);
        const double number = 0.5 * seed;
        const MaskedTensor<float> made = scaled(m = x, by = number);
        CHECK(same(made, eval(sum(x * x * static_cast<float>(number), {1}), interpreted)));
    }
}

TEST_CASE("any number of threads may make a known call over lists") {
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::uint32_t i = 0; i < 200; ++i) {
                const auto m = list({5, 7}, 0.2 + 0.2 * t, Layout::coo, 1 + i % 5);
                wrong += !same(eval(sum(m * m, {1}), compiled), eval(sum(m * m, {1}), interpreted));
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

}  // namespace known_lists_test
