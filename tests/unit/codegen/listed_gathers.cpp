// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <limits>
#include <tuple>

namespace listed_gathers_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

using Ids = Tensor<std::int64_t>;

/// A list of about 1,000 elements in a matrix of which no dense tensor can be made.
MaskedTensor<float> wide(Layout layout) {
    constexpr std::int64_t extent = 1'000'000, count = 1000;
    std::vector<std::vector<std::int64_t>> indices(2);
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) {
        indices[0].push_back(i / 2 * 1999);
        indices[1].push_back(i * 7919 % extent);
        values.push_back(static_cast<float>(i % 16));
    }
    const Tensor<float> in_line({count}, values);
    return MaskedTensor<float>(AnyMasked::coo({extent, extent}, indices, in_line).to(layout));
}

}  // namespace

TEST_CASE("a list read at indices is a list", "[codegen]") {
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc,
                                   Layout::two_four, Layout::rows);
    const EvalOptions how = options();
    CAPTURE(name_of(layout));
    const MaskedTensor<float> m =
        layout == Layout::rows
            ? MaskedTensor<float>::rows({12, 3}, {1, 7, 8}, arange<float>(9).reshape({3, 3}))
            : random_masked({12, 8}, specified(0.3), layout, 5);
    const Ids some({5}, {7, 0, 7, 2, 1}), negative({4}, {-1, 3, -8, -1}), none({0}),
        table({2, 2}, {1, -2, 8, 1});
    const Ids columns({3}, {2, 0, 2}), one({1}, {2}), each({2, 2}, {1, 2, 8, 1});
    check_as_strided(m, how, [&](const auto& x) { return index_select(x, 0, some); });
    check_as_strided(m, how, [&](const auto& x) { return index_select(x, 1, columns); });
    check_as_strided(m, how, [&](const auto& x) { return x[negative]; });
    check_as_strided(m, how, [&](const auto& x) { return x[none]; });
    check_as_strided(m, how, [&](const auto& x) { return x[table]; });
    check_as_strided(m, how, [&](const auto& x) { return index(x, negative, one); });
    check_as_strided(m, how, [&](const auto& x) { return gather(x, 0, each); });
    check_as_strided(m, how, [&](const auto& x) { return transpose(x, 0, 1)[columns] + 1; });
    check_as_strided(m, how, [&](const auto& x) { return x[some][columns]; });
}

TEST_CASE("masks of lists and lists of three dimensions are read at indices", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = random_masked({6, 4, 5}, specified(0.3), Layout::coo, 5);
    const Ids some({3}, {3, 0, 3}), table({2, 2}, {1, -2, 3, 1});
    check_as_strided(m, how, [&](const auto& x) { return index_select(x, 0, some); });
    check_as_strided(m, how, [&](const auto& x) { return index_select(x, 1, some); });
    check_as_strided(m, how, [&](const auto& x) { return index_select(x, 2, some); });
    check_as_strided(m, how, [&](const auto& x) { return x[table]; });
    const auto counts = [&](const auto& x) {
        return sum(cast<float>(mask_of(index_select(x, 0, some))), {1, 2});
    };
    CHECK(same(eval(counts(m), how), oracle(counts(m))));
}

TEST_CASE("rows and columns of csr and csc at indices stay csr and csc", "[codegen]") {
    const EvalOptions how = options();
    const Ids some({3}, {3, 0, 3});
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::csc}) {
        const MaskedTensor<float> m = random_masked({12, 8}, specified(0.3), layout, 5);
        CHECK(eval(index_select(m, 0, some), how).layout() == layout);
        CHECK(eval(m[some], how).layout() == layout);
        CHECK(eval(m[some] * 2, how).layout() == layout);
        CHECK(eval(index_select(m, 1, some), how).layout() == layout);
        CHECK(eval(m(slice(2, 9)), how).layout() == layout);
        CHECK(eval(flip(m, {0}), how).layout() == layout);
        CHECK(eval(cat(std::tuple(m, m), 0), how).layout() == layout);
        CHECK(eval(cat(std::tuple(m, m), 1), how).layout() == layout);
        CHECK(eval(transpose(m, 0, 1), how).layout() == Layout::coo);
    }
}

TEST_CASE("indices out of range are refused where a list is read at them", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = random_masked({12, 8}, specified(0.3), Layout::csr, 5);
    CHECK_THROWS_AS(eval(m[Ids({2}, {3, 12})], how), IndexError);
    CHECK_THROWS_AS(eval(index_select(m, 1, Ids({2}, {-1, 2})), how), IndexError);
    CHECK_THROWS_AS(eval(matmul(m[Ids({2}, {3, -13})], full<float>({8, 2}, 1)), how), IndexError);
}

TEST_CASE("what is read of lists at indices takes memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc);
    const MaskedTensor<float> m = wide(layout);
    const Ids some({4}, {1999, 0, 1999, -1});
    const auto rows = eval(m[some], how);
    CHECK(rows.shape() == Shape{4, 1'000'000});
    CHECK(rows.specified_count() == 6);
    CHECK(eval(index_select(m, 1, Ids({3}, {7919, 7918, 7919})), how).specified_count() == 2);
    CHECK(eval(sum(m[some]), how).item() == 2 + 3 + 0 + 1 + 2 + 3);
    const Tensor<float> h = full<float>({1'000'000, 2}, 1);
    CHECK(eval(to_dense(matmul(m[some], h), 0), how).at({2, 1}) == 5);
}

TEST_CASE("elements of a list are picked by conditions, and its medians found, among what is stored",
          "[codegen]") {
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::bsr, Layout::two_four, Layout::rows);
    const double density = GENERATE(0.0, 0.3);
    const EvalOptions how = options();
    CAPTURE(name_of(layout), density);
    const MaskedTensor<float> random = random_masked({24, 8}, specified(density), layout, 5);
    for (const bool has_nan : {false, true}) {
        const float most = has_nan ? std::numeric_limits<float>::quiet_NaN() : 4.0F;
        const MaskedTensor<float> m = eval(where(random > 3, most, random), how);
        check_as_strided(m, how, [](const auto& x) { return x[x > 1]; });
        check_as_strided(m, how, [](const auto& x) { return median(x, 1); });
        check_as_strided(m, how, [](const auto& x) { return median(x, 0, keepdim); });
        check_as_strided(m, how, [](const auto& x) { return median(x * 2 - 1); });
    }
}

TEST_CASE("conditions and medians of a list take memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = coo_of(1 << 20, 1 << 20);  // 4, -2, 3 and 12
    const auto is_of = [&](const MaskedTensor<float>& found, std::initializer_list<float> values) {
        return same(found.values(), Tensor<float>({static_cast<std::int64_t>(values.size())}, values));
    };
    CHECK(is_of(eval(m[m > 3], how), {4, 12}));
    CHECK(eval(sum(m[m < 4]), how).item() == 1);
    CHECK(eval(median(m), how).item() == 3);
    CHECK(is_of(eval(median(m, 1), how), {-2, 3, 12}));
    CHECK(eval(sum(median(m, 0)), how).item() == 17);
    CHECK(eval(gradient(sum(square(m[m > 3])), m), how).specified_count() == 2);
}

}  // namespace listed_gathers_test
