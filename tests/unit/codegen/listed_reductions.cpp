// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cmath>
#include <limits>

namespace listed_reductions_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("a list reduced along some dimensions is a list of what is left", "[codegen]") {
    const Layout layout =
        GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::two_four);
    const double density = GENERATE(0.0, 0.06, 0.5);
    const EvalOptions how = options();
    CAPTURE(name_of(layout), density);
    const MaskedTensor<float> m = random_masked({24, 8}, specified(density), layout, 5);
    check_as_strided(m, how, [](const auto& x) { return sum(x, {1}); });
    check_as_strided(m, how, [](const auto& x) { return sum(x * x, {0}, keepdim); });
    check_as_strided(m, how, [](const auto& x) { return amax(x, {1}, keepdim); });
    check_as_strided(m, how, [](const auto& x) { return amin(x, {0}); });
    check_as_strided(m, how, [](const auto& x) { return argmax(x, 1); });
    check_as_strided(m, how, [](const auto& x) { return argmin(x, 0); });
    check_as_strided(m, how, [](const auto& x) { return mean(x, {1}); });
    check_as_strided(m, how, [](const auto& x) { return var(x, {0}); });
    check_as_strided(m, how, [](const auto& x) { return any(x > 2, {1}); });
    check_as_strided(m, how, [](const auto& x) { return all(x > -4, {1}); });
    CHECK(same(eval(count(m, {1}), how), eval(count(strided(m), {1}), how)));
    CHECK(same(eval(to_dense(sum(m, {0}), -1), how), eval(to_dense(sum(strided(m), {0}), -1), how)));
    CHECK(same(eval(argmax(m), how), eval(argmax(strided(m)), how)));
}

TEST_CASE("reductions of lists of three dimensions keep those that are not named", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<std::int32_t> m =
        random_masked<std::int32_t>({5, 6, 7}, specified(0.2), Layout::coo, 3, Listed::with_duplicates);
    check_as_strided(m, how, [](const auto& x) { return sum(x, {1}); });
    check_as_strided(m, how, [](const auto& x) { return sum(x, {0, 2}); });
    check_as_strided(m, how, [](const auto& x) { return prod(x, {0, 1}, keepdim); });
    check_as_strided(m, how, [](const auto& x) { return argmin(x, 1, keepdim); });
    check_as_strided(m, how, [](const auto& x) { return amax(sum(x, {2}), {0}); });
}

TEST_CASE("what is reduced of a list meets the list", "[codegen]") {
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::bsc);
    const EvalOptions how = options();
    CAPTURE(name_of(layout));
    const MaskedTensor<float> m = random_masked({24, 8}, specified(0.3), layout, 5);
    const auto check = [&](auto&& make) {
        const MaskedTensor<float> found = eval(make(m), how);
        CHECK(found.layout() >= Layout::coo);
        check_close(found, eval(make(strided(m)), how));
        check_close(found, oracle(make(m)));
    };
    check([](const auto& x) { return x - to_dense(mean(x, {1}, keepdim), 0); });
    check([](const auto& x) { return softmax(x, 1); });
    check([](const auto& x) { return log_softmax(x, 0); });
    check([](const auto& x) { return normalize(x); });
    check([](const auto& x) { return logsumexp(x, {1}); });
    check([](const auto& x) { return std_dev(x, {1}, keepdim); });
}

TEST_CASE("reductions of lists stand beside what lists cannot be read for", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = random_masked({24, 8}, specified(0.3), Layout::coo, 5);
    const Tensor<float> dense = arange<float>(24 * 8).reshape({24, 8});
    const auto make = [&](const auto& x) {
        return x - to_dense(amax(x * x, {1}, keepdim), 0) + on(x, cumsum(dense, 0));
    };
    CHECK(same(eval(make(m), how), eval(make(strided(m)), how)));
    CHECK(same(eval(make(m), how), oracle(make(m))));
}

TEST_CASE("reductions of reductions of a list each have a name of their own", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = random_masked({24, 8}, specified(0.3), Layout::coo, 5);
    const auto make = [](const auto& x) { return normalize(mean(x, {0}, keepdim), 1, 1); };
    check_close(eval(make(m), how), eval(make(strided(m)), how));
    check_close(eval(make(m), how), oracle(make(m)));
}

TEST_CASE("dense tensors are reduced at the places of a list where others change nothing", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = huge_coo();  // 4, -2, 3 and 12
    CHECK(eval(sum(square(to_dense(m, 0))), how).item() == 173);
    CHECK(eval(norm(to_dense(m, 0)), how).item() == std::sqrt(173.0F));
    CHECK(eval(sum(max(to_dense(m, 0), 0)), how).item() == 19);
    CHECK(eval(sum(cast<std::int32_t>(to_dense(m, 0)) * 2), how).item() == 34);
    CHECK(eval(sum(exp2(to_dense(m, 0)) - 1), how).item() == 15 - 0.75F + 7 + 4095);
    CHECK(eval(sum(abs(to_dense(m, 3) - 3)), how).item() == 1 + 5 + 0 + 9);
    CHECK(eval(sum(where(to_dense(m, 0) > 0, to_dense(m, -1), 0)), how).item() == 19);
    CHECK(eval(prod(to_dense(m, 1)), how).item() == -288);
    CHECK(eval(all(to_dense(m, 0) > -2), how).item() == false);
    CHECK(eval(all(to_dense(m, 0) >= -2), how).item() == true);
    CHECK(eval(any(to_dense(m, 0) > 12), how).item() == false);
    const MaskedTensor<float> rows = eval(on(sum(m, {1}), sum(square(to_dense(m, 0)), {1})), how);
    CHECK(same(rows.values(), Tensor<float>({3}, {20, 9, 144})));
    // A number that another list reads is made first.
    const auto other = MaskedTensor<float>::coo({3, huge}, {{0, 2}, {1, huge - 1}}, {2, 3});
    CHECK(same(eval(m - sum(abs(to_dense(other, 0))), how).values(), eval(m - 5, how).values()));
    CHECK_THROWS_AS(eval(sum(to_dense(m, 0) + 0.5F), how), Error);
}

TEST_CASE("dense tensors have the reductions of what is strided where a list fills them", "[codegen]") {
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::bsr, Layout::rows);
    const EvalOptions how = options();
    CAPTURE(name_of(layout));
    const MaskedTensor<float> finite = random_masked({24, 8}, specified(0.3), layout, 5);
    const MaskedTensor<float> m =
        eval(where(finite > 3, std::numeric_limits<float>::infinity(), finite), how);
    CHECK(m.layout() == layout);
    const auto check = [&](auto&& make) { CHECK(same(eval(make(m), how), eval(make(strided(m)), how))); };
    for (const float fill : {0.0F, 1.0F, 0.5F, -2.0F}) {
        INFO(fill);
        check([&](const auto& x) { return sum(square(to_dense(x, fill)), {1}); });
        check([&](const auto& x) { return prod(to_dense(x, fill)); });
        check([&](const auto& x) { return all(to_dense(x, fill) > 0); });
        check([&](const auto& x) { return sum(to_dense(x, fill) * 0); });
        check([&](const auto& x) { return amax(to_dense(x, fill)); });
    }
}

TEST_CASE("reductions of lists take memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = huge_coo();
    const auto rows = [](std::initializer_list<float> values) {
        return MaskedTensor<float>::coo({huge}, {{5, 7, huge - 1}}, values);
    };
    CHECK(same(eval(sum(m, {1}), how), rows({2, 3, 12})));
    CHECK(same(eval(mean(m, {1}), how), rows({1, 3, 12})));
    CHECK(same(eval(amax(m, {1}), how), rows({4, 3, 12})));
    CHECK(same(eval(norm(m, {1}, {}, std::numeric_limits<double>::infinity()), how), rows({4, 3, 12})));
    CHECK(same(eval(sum(m * m, {0}), how),
               MaskedTensor<float>::coo({1 << 20}, {{1, 2, 3, 9}}, {9, 16, 144, 4})));
    CHECK(same(eval(argmax(m, 0), how),
               MaskedTensor<std::int64_t>::coo({1 << 20}, {{1, 2, 3, 9}}, {7, 5, huge - 1, 5})));
    CHECK(eval(argmin(m), how).item() == (std::int64_t{5} << 20) + 9);
    CHECK(eval(m - to_dense(mean(m, {1}, keepdim), 0), how).values().size() == 4);
    CHECK(eval(softmax(m, 1), how).specified_count() == 4);
    CHECK(eval(softmax(m, 0), how).specified_count() == 4);
    CHECK(eval(to_dense(sum(m, {0}), 0), how).at({9}) == -2);
    CHECK(eval(count(m, {0}), how).at({3}) == 1);
    const auto deep =
        MaskedTensor<float>::coo({1 << 20, 1 << 20, 8}, {{1, 1, 9}, {2, 2, 9}, {3, 4, 0}}, {1, 2, 3});
    CHECK(same(eval(mean(deep, {2}), how),
               MaskedTensor<float>::coo({1 << 20, 1 << 20}, {{1, 9}, {2, 9}}, {1.5, 3})));
}

TEST_CASE("lists are reduced along lines of more elements than loops count", "[codegen]") {
    const EvalOptions how = options();
    const std::int64_t columns = GENERATE((1 << 15) - 1, 1 << 15, 1 << 18);
    CAPTURE(columns);
    const MaskedTensor<float> a = coo_of(1 << 16, columns);
    const auto line = reshape(a, {-1});
    CHECK(eval(sum(line), how).item() == 17);
    CHECK(eval(mean(line), how).item() == 17.0F / 4);
    CHECK(eval(count(line), how).item() == 4);
    CHECK(eval(amax(line), how).item() == 12);
    CHECK(eval(prod(line, {0}, keepdim), how).item() == 3 * 4 * 12 * -2);
    CHECK(eval(any(line > 11), how).item());
    CHECK_FALSE(eval(all(line > 3), how).item());
    CHECK(eval(norm(line), how).item() == std::sqrt(173.0F));
    CHECK(eval(logsumexp(line), how).item() == eval(logsumexp(a), how).item());
    CHECK(std::abs(eval(sum(exp(log_softmax(line, 0))), how).item() - 1) < 1e-6F);
    CHECK(stored_values(eval(gradient(sum(square(line)), a), how)) == std::vector<float>{8, -4, 6, 24});
}

TEST_CASE("a product of a list is reduced over both of its factors", "[codegen]") {
    const EvalOptions how = options();
    const auto m = MaskedTensor<float>::coo({12}, {{1, 5, 11}}, {1, 2, 3});
    const Tensor<float> t = arange<float>(12);
    const auto value = [&](const auto& expression) { return eval(to_dense(expression, -1), how).item(); };
    CHECK(value(dot(m, t)) == 1 * 1 + 2 * 5 + 3 * 11);
    CHECK(value(dot(t, m)) == 1 * 1 + 2 * 5 + 3 * 11);
    CHECK(value(dot(2 * m, t + m)) == 2 * (1 * 2 + 2 * 7 + 3 * 14));
}

TEST_CASE("long lists meet, are reduced, moved and softmaxed as values and masks are", "[codegen]") {
    // More than a task's entries, and than entries merged at once; a row with most of them.
    MaskedTensor<float> a = random_masked({500, 700}, specified(0.3), Layout::coo, 5, Listed::ascending);
    MaskedTensor<float> b = random_masked({500, 700}, specified(0.2), Layout::coo, 6, Listed::ascending);
    const auto row = MaskedTensor<float>::coo({500, 1}, {{3, 9}, {0, 0}}, {2, 3});
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::csc}) {
        CAPTURE(name_of(layout));
        const MaskedTensor<float> m(a.to(layout));
        for (int turn = 0; turn < 2; ++turn) {  // the second finds the first's stored values
            CHECK(same(eval(unite(m + b)), eval(unite(strided(m) + strided(b)))));
            CHECK(same(eval(intersect(m * b)), eval(intersect(strided(m) * strided(b)))));
            CHECK(same(eval(amax(m, {1})), eval(amax(strided(m), {1}))));
            CHECK(same(eval(amax(m, {0})), eval(amax(strided(m), {0}))));
            CHECK(same(eval(argmin(m, 1)), eval(argmin(strided(m), 1))));
            CHECK(same(eval(transpose(m, 0, 1)), eval(transpose(strided(m), 0, 1))));
            CHECK(same(eval(intersect(m * row)), eval(intersect(strided(m) * strided(row)))));
            check_close(eval(sum(m, {1})), eval(sum(strided(m), {1})));
            check_close(eval(sum(m, {0})), eval(sum(strided(m), {0})));
            check_close(eval(softmax(m, 1)), eval(softmax(strided(m), 1)));
            check_close(eval(softmax(m, 0)), eval(softmax(strided(m), 0)));
        }
    }
}

TEMPLATE_TEST_CASE("rows of any number of listed elements have their largest one, and meet it", "[codegen]",
                   float, double) {
    // Row r has r elements, among them each kind of float; pieces of 64 bytes end within rows.
    using Limits = std::numeric_limits<TestType>;
    constexpr std::int64_t extent = 70;
    const std::vector<TestType> kinds{0, -TestType(0), -Limits::infinity(), 3, -2, Limits::quiet_NaN(), 1};
    for (const bool has_nan : {false, true}) {
        std::vector<std::int64_t> rows, columns;
        std::vector<TestType> values;
        for (std::int64_t row = 0; row < extent; ++row)
            for (std::int64_t i = 0; i < row; ++i) {
                rows.push_back(row);
                columns.push_back(i);
                const TestType value = kinds[static_cast<std::size_t>(row * i % 7)];
                values.push_back(std::isnan(value) && (!has_nan || row % 3 != 0) ? TestType(0.5) : value);
            }
        const auto count = std::ssize(values);
        const auto m =
            MaskedTensor<TestType>::coo({extent, extent}, {rows, columns}, Tensor<TestType>({count}, values));
        for (const Jit jit : {Jit::always, Jit::never}) {
            const EvalOptions how{.jit = jit};
            check_as_strided(m, how, [](const auto& x) { return amax(x, {1}); });
            check_as_strided(m, how, [](const auto& x) { return amin(x, {1}); });
            check_as_strided(m, how, [](const auto& x) { return x < amax(x, {1}, keepdim); });
            check_as_strided(m, how, [](const auto& x) { return x - amax(x, {1}, keepdim); });
        }
    }
}

}  // namespace listed_reductions_test
