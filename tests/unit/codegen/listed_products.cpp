// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_exception.hpp>

#include <cstdint>
#include <vector>

namespace listed_products_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("products of a list are lists", "[codegen]") {
    const Layout layout =
        GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::two_four);
    const double density = GENERATE(0.0, 0.1, 0.5);
    const EvalOptions how = options();
    CAPTURE(name_of(layout), density);
    const MaskedTensor<float> m = random_masked({24, 8}, specified(density), layout, 5);
    const MaskedTensor<float> other = random_masked({8, 12}, specified(0.3), layout, 7);
    const Tensor<float> right = random_masked({8, 6}, specified(1.0), Layout::strided, 8).to_dense(0);
    const Tensor<float> left = random_masked({5, 24}, specified(1.0), Layout::strided, 9).to_dense(0);
    const Tensor<float> column = random_masked({8}, specified(1.0), Layout::strided, 10).to_dense(0);
    const auto check = [&](auto&& make) {
        const auto found = eval(make(m, other), how);
        CHECK(found.layout() >= Layout::coo);
        check_close(found, eval(make(strided(m), strided(other)), how));
        check_close(found, oracle(make(m, other)));
    };
    check([&](const auto& x, const auto&) { return matmul(x, right); });
    check([&](const auto& x, const auto&) { return matmul(left, x); });
    check([&](const auto& x, const auto& y) { return matmul(x, y); });
    check([&](const auto& x, const auto&) { return matmul(transpose(x, 0, 1), x); });
    check([&](const auto& x, const auto&) { return matmul(x * 2, right) + 1; });
    check([&](const auto& x, const auto&) { return mv(x, column); });
    check([&](const auto& x, const auto&) { return linear(x, transpose(right, 0, 1)); });
    check([&](const auto& x, const auto& y) { return matmul(matmul(x, y), transpose(y, 0, 1)); });
}

TEST_CASE("a list times a matrix has each of the matrix' columns", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<double> m = random_masked<double>({7, 9}, specified(0.4), Layout::csr, 5);
    for (const std::int64_t columns : {1, 3, 4, 5, 15, 16, 17, 19, 20, 23, 32, 37}) {
        const Tensor<double> right = random_tensor<double>({9, columns}, 6);
        CAPTURE(columns);
        check_close(eval(matmul(m, right), how), eval(matmul(strided(m), right), how));
        check_close(eval(matmul(m, right), how), oracle(matmul(m, right)));
    }
}

TEST_CASE("a list times a matrix whose rows lie apart reads its rows", "[codegen]") {
    const EvalOptions how = options();
    const Tensor<double> wide = random_tensor<double>({9, 40}, 6);
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::csc})
        for (const std::int64_t columns : {1, 4, 17, 32}) {
            const MaskedTensor<double> m = random_masked<double>({7, 9}, specified(0.4), layout, 5);
            const Tensor<double> right = wide.slice(1, 3, 3 + columns);
            CAPTURE(name_of(layout), columns);
            check_close(eval(matmul(m, right), how), oracle(matmul(m, right)));
            check_close(eval(matmul(m, right), how), eval(matmul(m, right.clone()), how));
        }
}

TEST_CASE("products of lists of whole numbers wrap", "[codegen]") {
    const EvalOptions how = options();
    const auto m = MaskedTensor<std::int32_t>::coo({2, 3}, {{0, 0}, {0, 2}}, {2'000'000'000, 2'000'000'000});
    const auto ones = Tensor<std::int32_t>({3, 2}, {1, 1, 1, 1, 1, 1});
    CHECK(same(eval(matmul(m, ones), how), eval(matmul(strided(m), ones), how)));
    CHECK(same(eval(matmul(m, ones), how), oracle(matmul(m, ones))));
}

TEST_CASE("what is reduced of a list to one element is multiplied", "[codegen]") {
    const EvalOptions how = options();
    const Tensor<std::int64_t> row({1, 3}, {9, 3, 8});
    for (const double density : {0.0, 0.3}) {
        CAPTURE(density);
        const MaskedTensor<float> m = random_masked({24, 8}, specified(density), Layout::csr, 5);
        const auto product = matmul(reshape(argmax(m), {1, 1}), row);
        CHECK(same(eval(product, how), oracle(product)));
    }
}

TEST_CASE("a product of a list reads tensors of more dimensions than a call takes", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = random_masked({2, 2}, specified(1.0), Layout::bsr, 5);
    const auto product = linear(repeat(random_tensor({1, 1, 1, 1, 2}, 6), {1, 2, 2, 1, 1}), m);
    CHECK(same(eval(product, how), oracle(product)));
}

TEST_CASE("products of lists take memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const auto m =
        MaskedTensor<float>::coo({huge, 1 << 20}, {{7, 5, huge - 1, 5}, {1, 2, 3, 9}}, {3, 4, 12, -2});
    const Tensor<float> ones = full<float>({1 << 20, 2}, 1);
    const auto rows = MaskedTensor<float>::rows({huge, 2}, {5, 7, huge - 1}, {2, 2, 3, 3, 12, 12});
    CHECK(same(eval(matmul(m, ones), how), rows));
    const auto square = MaskedTensor<float>::coo({1 << 30, 1 << 30}, {{7, 7}, {7, 9}}, {3, 4});
    CHECK(same(eval(matmul(square, square), how),
               MaskedTensor<float>::coo({1 << 30, 1 << 30}, {{7, 7}, {7, 9}}, {9, 12})));
    CHECK(same(eval(matmul(transpose(m, 0, 1), m), how),
               MaskedTensor<float>::coo({1 << 20, 1 << 20}, {{1, 2, 2, 3, 9, 9}, {1, 2, 9, 3, 2, 9}},
                                        {9, 16, -8, 144, -8, 4})));
}

TEST_CASE("edges of a large graph meet its walks of two edges in linear time", "[codegen]") {
    const EvalOptions how = options();
    // Each node has edges to the next two, and to one far away: node i closes one triangle, i, i + 1, i + 2.
    constexpr std::int64_t nodes = 20'000, edges = 3 * nodes;
    std::vector<std::vector<std::int64_t>> at(2);
    for (std::int64_t i = 0; i < nodes; ++i)
        for (const std::int64_t step : {std::int64_t{1}, std::int64_t{2}, nodes / 2}) {
            at[0].push_back(i);
            at[1].push_back((i + step) % nodes);
        }
    const std::vector<float> ones(edges, 1);
    const auto graph = MaskedTensor<float>::coo({nodes, nodes}, at, ones).to(Layout::csr);
    const auto walks = matmul(graph, graph);
    CHECK(eval(sum(intersect(graph * walks)), how).item() == nodes);
    CHECK(eval(sum(on(graph, to_dense(walks, 0))), how).item() == nodes);
    CHECK_THROWS_MATCHES(eval(sum(on(graph, walks)), how), MaskMismatch,
                         Catch::Matchers::MessageMatches(ContainsSubstring("first at [0, 0]")));
}

}  // namespace listed_products_test
