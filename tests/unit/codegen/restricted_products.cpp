// SPDX-License-Identifier: MIT
#include "compositions.hpp"

#include <frisket/frisket.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

#include <tuple>

namespace restricted_products_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

const EvalOptions never{.jit = Jit::never};  // plans as of compiled calls

/// A list of few elements, with the rows and columns of `a`.
MaskedTensor<float> matrix_like(const MaskedTensor<float>& a) {
    return MaskedTensor<float>::coo(a.shape(), {{0, 3, 5, 11}, {7, 2, 5, 0}}, {3, 4, 12, -2});
}

/// A list of matrices: three of them, with the rows and columns of `a`.
MaskedTensor<float> matrices_like(const MaskedTensor<float>& a) {
    const std::int64_t extent = a.shape()[0];
    return MaskedTensor<float>::coo({3, extent, extent}, {{0, 1, 2, 2}, {7, 5, 1, 5}, {1, 2, 3, 9}},
                                    {3, 4, 12, -2});
}

// A product with these counts of rows, terms and columns has 2^16 terms or more: it is computed from
// restricted factors.
constexpr std::int64_t restricted_extent = 41;

/// Checks an expression with lists of which products are computed from restricted factors, and other factors.
template <class Make>
void check_small_products(Make&& make) {
    const Ids ids({3}, {7, 5, 7});
    for (const std::int64_t extent : {std::int64_t{12}, restricted_extent - 1, restricted_extent})
        check_small(make, ids, never, extent);
}

/// As check_small_products, and the plan for a huge list fits.  That is not run: interpreted, it takes
/// seconds.
template <class Make>
void check_plan(Make&& make) {
    const Wide wide;
    CHECK_THAT(explain(make(wide.a, wide.h, wide.w, Ids({3}, {7, 5, 7}))),
               !ContainsSubstring("does not fit"));
    check_small_products(make);
}

}  // namespace

TEST_CASE("products of lists are made where their masks differ from those of the factors", "[codegen]") {
    check_composition([](const auto& a, const auto& h, const auto&,
                         const auto&) { return matmul(roll(cast<float>(a > 0.5F), 1, 0), h); },
                      never);
    check_composition(
        [](const auto& a, const auto& h, const auto& w, const auto&) {
            return gradient(sum(on(transpose(a, 0, 1), matmul(w, transpose(h, 0, 1)))), h);
        },
        never);
    check_composition([](const auto& a, const auto& h, const auto&,
                         const auto&) { return gradient(sum(square(select(matmul(a, h), 0, 7))), h); },
                      never);
    check_composition([](const auto& a, const auto&, const auto&,
                         const auto&) { return matmul(logsumexp(unsqueeze(a, 0), {0}), a); },
                      never);
}

TEST_CASE("second gradients of products of lists are lists", "[codegen]") {
    // A chain of products, and a product that is read at the places of a list.
    const auto chain = [](const auto& a, const auto& r) {
        const auto scaled = a * r;
        return sum(square(matmul(scaled, transpose(scaled, 0, 1))));
    };
    check_plan([&](const auto& a, const auto& h, const auto&, const auto&) {
        const auto first = gradient(chain(a, mean(h, {1}, keepdim)), a);
        return gradient(sum(first), h);
    });
    const auto layer = [](const auto& a, const auto& h, const auto& w) {
        const auto t = tanh(to_dense(matmul(a, h), 0.0F));
        return sum(square(matmul(on(a, matmul(t, transpose(t, 0, 1))), w)));
    };
    check_plan([&](const auto& a, const auto& h, const auto& w, const auto&) {
        return gradient(sum(to_dense(gradient(layer(a, h, w), h), 0.0F)), w);
    });
    check_plan([&](const auto& a, const auto& h, const auto& w, const auto&) {
        return gradient(sum(gradient(layer(a, h, w), a)), h);
    });
}

TEST_CASE("second gradients of products of lists have a plan with an end", "[codegen]") {
    // The mask of a factor has parts that are the same for all terms of an element.
    const auto by_columns = [](const auto& a, const auto& b, const auto& weights) {
        return gradient(gradient(sum(matmul(a, b), {0}, keepdim), a, transpose(weights, 0, 1)), b);
    };
    const auto weighted = [](const auto& a, const auto& b, const auto& weights) {
        return gradient(sum(gradient(sum(matmul(a, b) * weights), a)), b);
    };
    const auto check = [](const auto& make) {
        const Wide wide;
        CHECK_THAT(explain(make(wide.a, matrix_like(wide.a), mean(wide.h, {1}, keepdim))),
                   !ContainsSubstring("does not fit"));
        const Tensor<float> weights = random_tensor<float>({53, 1}, 7);
        for (const Layout layout : {Layout::coo, Layout::csr, Layout::csc})
            for (const double density : {0.3, 0.03}) {
                const auto a = random_masked({53, 37}, specified(density), layout, 5),
                           b = random_masked({37, 53}, specified(density), Layout::coo, 6);
                check_close(eval(make(a, b, weights), never), oracle(make(a, b, weights)));
            }
    };
    check(by_columns);
    check(weighted);
}

TEST_CASE("batches of products of lists stand in any dimension, and are summed", "[codegen]") {
    check_composition([](const auto& a, const auto& h, const auto&,
                         const auto&) { return transpose(matmul(stack(std::tuple(a * 2, a), 0), h), 0, 2); },
                      never);
    check_composition(
        [](const auto& a, const auto& h, const auto&, const auto&) {
            return gradient(sum(square(matmul(transpose(h, 0, 1), matrices_like(a)))), h);
        },
        never);
}

TEST_CASE("lists of few elements are factors that are read at the places of a list", "[codegen]") {
    check_composition(
        [](const auto& a, const auto&, const auto&, const auto&) {
            const auto t = to_dense(sum(matrices_like(a), {1}), 0.0F);
            return sum(on(a, matmul(transpose(t, 0, 1), t)), {0});
        },
        never);
    check_composition(
        [](const auto& a, const auto&, const auto& w, const auto&) {
            const auto t = to_dense(sum(matrices_like(a), {2}), 0.0F);
            return matmul(softmax(on(a, matmul(transpose(t, 0, 1), t)), 1), w);
        },
        never);
}

TEST_CASE("products of lists of equal rows are made where they are seen transposed", "[codegen]") {
    check_plan([](const auto& a, const auto& h, const auto& w, const auto&) {
        const auto scores = max(a, matmul(w, transpose(h, 0, 1)));
        return transpose(matmul(transpose(scores, 0, 1), scores), 0, 1);
    });
}

TEST_CASE("dimensions of one element are dropped before what is computed at the places of lists",
          "[codegen]") {
    check_composition(
        [](const auto& a, const auto& h, const auto& w, const auto&) {
            return gradient(stack(std::tuple(a, a), 0), a) + matmul(w, transpose(h, 0, 1));
        },
        never);
}

TEST_CASE("batches of one row or column of products of lists are one matrix", "[codegen]") {
    for (const int dim : {0, 1, 2}) {
        CAPTURE(dim);
        check_composition(
            [&](const auto& a, const auto& h, const auto&, const auto&) {
                return unsqueeze(abs(gradient(matmul(matmul(a, a), h), a)), dim);
            },
            never);
    }
    std::vector<std::vector<std::int64_t>> at(2);
    for (std::int64_t i = 0; i < 1000; ++i) at[0].push_back(i), at[1].push_back(7 * i % 100);
    const auto many = MaskedTensor<float>::coo({1 << 24, 1 << 24}, at, std::vector<float>(1000, 2));
    const auto product = unsqueeze(matmul(many, transpose(many, 0, 1)), 1);
    CHECK(same(eval(matmul(unsqueeze(many, 1), transpose(many, 0, 1)), never), eval(product, never)));
    CHECK(same(eval(matmul(many, unsqueeze(transpose(many, 0, 1), 0)), never),
               eval(transpose(product, 0, 1), never)));
    CHECK(same(eval(matmul(many, unsqueeze(many, 2)), never),
               eval(unsqueeze(transpose(matmul(many, transpose(many, 0, 1)), 0, 1), 2), never)));
}

TEST_CASE("second gradients of lists that their own products scale are lists", "[codegen]") {
    check_composition(
        [](const auto& a, const auto& h, const auto& w, const auto&) {
            const auto scaled = a * to_dense(matmul(a, select(h, 1, 0)), 0.0F);
            return gradient(gradient(matmul(scaled, w), a, h), a);
        },
        never);
}

TEST_CASE("numbers that other lists are reduced to are computed before lists that read them", "[codegen]") {
    check_composition([](const auto& a, const auto&, const auto&,
                         const auto&) { return softmax(a - to_dense(mean(matrices_like(a)), 0.0F), 0); },
                      never);
}

TEST_CASE("specified elements of gradients of products are counted at the places of lists", "[codegen]") {
    check_plan([](const auto& a, const auto&, const auto&, const auto&) {
        return sum(a, {1}) * cast<float>(count(gradient(matmul(a, a), a), {1}));
    });
    check_plan([](const auto& a, const auto&, const auto&, const auto&) {
        return a * cast<float>(count(unsqueeze(gradient(matmul(a, a), a), 0)));
    });
}

TEST_CASE("lists meet in the union of their places where one is repeated", "[codegen]") {
    check_composition([](const auto& a, const auto&, const auto&,
                         const auto&) { return unite(max(unsqueeze(a, 0), matrices_like(a))); },
                      never);
}

}  // namespace restricted_products_test
