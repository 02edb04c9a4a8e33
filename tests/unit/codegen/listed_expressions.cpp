// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cmath>

namespace listed_expressions_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

bool shares_places(const AnyMasked& a, const AnyMasked& b) {
    return a.index() == b.index() && a.compressed_index() == b.compressed_index();
}

}  // namespace

TEST_CASE("elementwise expressions over a list keep its layout and its places", "[codegen]") {
    const Layout layout = GENERATE(Layout::coo, Layout::rows, Layout::csr, Layout::csc, Layout::bsr,
                                   Layout::bsc, Layout::two_four);
    const double density = GENERATE(0.0, 0.3, 1.0);
    const EvalOptions how = options();
    CAPTURE(name_of(layout), density);
    const MaskedTensor<float> m = random_masked({24, 8}, specified(density), layout, 5, Listed::ascending);
    const Tensor<float> dense = random_tensor({24, 8}, 6), row = random_tensor({8}, 7);
    const MaskedTensor<float> found = eval(m * m + dense * 2 - row, how);
    CHECK(found.layout() == layout);
    CHECK(shares_places(found, m));
    CHECK(same(found, eval(strided(m) * strided(m) + dense * 2 - row, how)));
    CHECK(same(found, oracle(m * m + dense * 2 - row)));
}

TEST_CASE("an expression that gives what it was given has memory of its own", "[codegen]") {
    const auto m = MaskedTensor<float>::rows({5, 2}, {1, 3}, {1, 2, 3, 4});
    const MaskedTensor<float> found = eval(+m, options());
    CHECK(same(found, m));
    CHECK(found.values().data() != m.values().data());
}

TEST_CASE("duplicates are summed first, and the list of the result has none", "[codegen]") {
    const auto m = MaskedTensor<float>::rows({6, 2}, {4, 1, 4}, {1, 2, 3, 4, 10, 20});
    const MaskedTensor<float> found = eval(m * 2, options());
    CHECK(found.layout() == Layout::rows);
    CHECK(found.values().size() == 4);
    CHECK(same(found, MaskedTensor<float>::rows({6, 2}, {1, 4}, {6, 8, 22, 44})));
}

TEST_CASE("expressions over lists take memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const auto rows = MaskedTensor<float>::rows({huge, 4}, {huge - 1, 5}, {1, 2, 3, 4, -5, 6, 7, 8});
    CHECK(eval(rows * rows + 1, how).values().size() == 8);
    const MaskedTensor<float> sums = eval(sum(rows, {1}, keepdim), how);
    CHECK(sums.layout() == Layout::rows);
    CHECK(sums.shape() == Shape{huge, 1});
    CHECK(same(sums, MaskedTensor<float>::rows({huge, 1}, {5, huge - 1}, {16, 10})));
    CHECK(eval(rows - to_dense(mean(rows, {1}, keepdim), 0), how).layout() == Layout::rows);
    CHECK(eval(sum(rows), how).item() == 26);
    CHECK(eval(amax(rows), how).item() == 8);
    CHECK(eval(mean(rows), how).item() == 26 / 8.0F);
    CHECK(eval(count(rows), how).item() == 8);
    const auto coo = MaskedTensor<float>::coo({huge, 1 << 20}, {{7, 5, huge - 1}, {1, 2, 3}}, {3, 4, 12});
    CHECK(eval(norm(coo), how).item() == 13);
    CHECK(eval(coo * 2, how).layout() == Layout::coo);
    CHECK(eval(var(coo), how).item() == eval(var(Tensor<float>({3}, {4, 3, 12})), how).item());
}

TEST_CASE("lists that are equal meet, others do not", "[codegen]") {
    const EvalOptions how = options();
    const auto a = MaskedTensor<float>::rows({huge, 2}, {9, 4}, {1, 2, 3, 4});
    const auto b = MaskedTensor<float>::rows({huge, 2}, {4, 9}, {10, 20, 30, 40});
    CHECK(same(eval(a + b, how), MaskedTensor<float>::rows({huge, 2}, {4, 9}, {13, 24, 31, 42})));
    const auto c = MaskedTensor<float>::rows({huge, 2}, {4, 8}, {1, 1, 1, 1});
    CHECK_THROWS_AS(eval(a + c, how), MaskMismatch);
}

TEST_CASE("an error of a listed value names its place in the whole", "[codegen]") {
    const auto a = MaskedTensor<std::int32_t>::coo({9, 9}, {{2, 7}, {3, 5}}, {6, 8});
    const auto b = MaskedTensor<std::int32_t>::coo({9, 9}, {{2, 7}, {3, 5}}, {1, 0});
    CHECK_THROWS_WITH(eval(floor_divide(a, b), options()), Catch::Matchers::ContainsSubstring("[7, 5]"));
}

TEST_CASE("an expression that looks past the list is evaluated all the same", "[codegen]") {
    const EvalOptions how = options();
    const auto m = MaskedTensor<float>::rows({4, 2}, {1, 3}, {1, 2, 3, 4});
    CHECK(eval(sum(to_dense(m, 1)), how).item() == 14);
    CHECK(same(eval(m[{1, all}], how), masked(Tensor<float>({2}, {1, 2}), full<bool>({2}, true))));
    CHECK(eval(to_dense(sum(m, {0}), 0), how).at({1}) == 6);
    const auto square = MaskedTensor<float>::rows({3, 3}, {1}, {1, 2, 3});
    const Tensor<float> row({3}, {10, 20, 30});  // as long as there are rows, and no column
    CHECK(same(eval(square + row, how), MaskedTensor<float>::rows({3, 3}, {1}, {11, 22, 33})));
}

}  // namespace listed_expressions_test
