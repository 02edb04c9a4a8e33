// SPDX-License-Identifier: MIT
// Losses of factorisations: products that are computed only at the elements of a list, in the loss and in its
// gradients.
#include "../../support/oracle.hpp"
#include "../../support/peak_memory.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace factorisations_test {

using namespace frisket;
using testing::oracle;

namespace {

constexpr EvalOptions compiled{.jit = Jit::always}, interpreted{.jit = Jit::never};

template <class T>
Tensor<T> some(const Shape& shape, unsigned seed) {
    Tensor<T> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i) {
        seed = seed * 1664525U + 1013904223U;
        made.data()[i] = static_cast<T>(seed >> 8) / T(16777216) - T(0.5);
    }
    return made;
}

/// Some places of 23 x 31 elements, some rows and columns empty, one row full.
template <class T>
MaskedTensor<T> ratings(Layout layout) {
    std::vector<std::int64_t> rows, columns;
    for (std::int64_t row = 0; row < 23; ++row)
        for (std::int64_t column = 0; column < 31; ++column) {
            if (row == 4 && column != 7) {
                rows.push_back(row);
                columns.push_back(column);
            } else if (row % 5 != 0 && column % 6 != 1 && (row * 7 + column * 3) % 11 == 0) {
                rows.push_back(row);
                columns.push_back(column);
            }
        }
    const auto values = some<T>({static_cast<std::int64_t>(rows.size())}, 1);
    return MaskedTensor<T>(MaskedTensor<T>::coo({23, 31}, {rows, columns}, values).to(layout));
}

template <class T>
void check(Layout layout, std::int64_t rank, const EvalOptions& options) {
    CAPTURE(name_of(layout), rank);
    const MaskedTensor<T> m = ratings<T>(layout);
    const Tensor<T> u = some<T>({23, rank}, 2), v = some<T>({31, rank}, 3);
    const auto product = matmul(u, transpose(v, 0, 1));
    CHECK(same(eval(on(m, product), options), oracle(on(m, product))));
    const auto error = m - product;
    CHECK(same(eval(error, options), oracle(error)));
    const auto loss = sum(square(error));
    // Elements of a list are added in another order than elements of rows.
    const T found = eval(loss, options).to_dense(0).data()[0], wanted = oracle(loss).to_dense(0).data()[0];
    CHECK(std::abs(found - wanted) <= wanted * (sizeof(T) == 4 ? 0 : 1e-14));
    CHECK(same(eval(gradient(loss, u), options), oracle(gradient(loss, u))));
    CHECK(same(eval(gradient(loss, v), options), oracle(gradient(loss, v))));
}

}  // namespace

TEST_CASE("a factorisation loss and its gradients have the bits of whole products", "[factorisation]") {
    const EvalOptions options = GENERATE(compiled, interpreted);
    for (const Layout layout :
         {Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::strided})
        check<float>(layout, 17, options);
    for (const std::int64_t rank : {1, 3, 4, 50, 127}) check<float>(Layout::csr, rank, options);
    for (const std::int64_t rank : {1, 2, 50}) check<double>(Layout::coo, rank, options);
}

TEST_CASE("products with lists are those of whole matrices, transposed or not", "[factorisation]") {
    const EvalOptions options = GENERATE(compiled, interpreted);
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::rows);
    CAPTURE(name_of(layout));
    const MaskedTensor<float> m =
        layout == Layout::rows ? MaskedTensor<float>::rows({23, 31}, {5, 2, 20}, some<float>({3, 31}, 1))
                               : ratings<float>(layout);
    for (const std::int64_t columns : {1, 16, 20, 50, 127}) {
        CAPTURE(columns);
        const Tensor<float> right = some<float>({31, columns}, 4), below = some<float>({23, columns}, 5);
        CHECK(same(eval(matmul(m, right), options), oracle(matmul(m, right))));
        CHECK(same(eval(matmul(transpose(m, 0, 1), below), options),
                   oracle(matmul(transpose(m, 0, 1), below))));
        const Tensor<float> left = some<float>({columns, 23}, 6);
        CHECK(same(eval(matmul(left, m), options), oracle(matmul(left, m))));
        const auto shown = matmul(m, transpose(some<float>({columns, 31}, 7), 0, 1));
        CHECK(same(eval(shown, options), oracle(shown)));
        const auto whole = transpose(below, 0, 1);
        CHECK(same(eval(matmul(whole, m), options), oracle(matmul(whole, m))));
    }
    CHECK(same(eval(matmul(m, transpose(m, 0, 1)), options), oracle(matmul(m, transpose(m, 0, 1)))));
    CHECK(same(eval(matmul(transpose(m, 0, 1), m), options), oracle(matmul(transpose(m, 0, 1), m))));
}

TEST_CASE("what is not specified of a list does not matter to its products", "[factorisation]") {
    const EvalOptions options = GENERATE(compiled, interpreted);
    MaskedTensor<float> m = ratings<float>(Layout::bsr);
    const Tensor<bool> mask(m.mask());
    float* const values = static_cast<float*>(const_cast<void*>(static_cast<const void*>(m.values().data())));
    for (std::int64_t i = 0; i < mask.size(); ++i)
        if (!mask.data()[i]) values[i] = NAN;
    const Tensor<float> u = some<float>({23, 5}, 2), v = some<float>({31, 5}, 3);
    const auto loss = sum(square(m - matmul(u, transpose(v, 0, 1))));
    CHECK(std::isfinite(eval(loss, options).to_dense(0).data()[0]));
    const auto found = eval(gradient(loss, v), options).to_dense(0);
    for (std::int64_t i = 0; i < found.size(); ++i) CHECK(std::isfinite(found.data()[i]));
}

TEST_CASE("ten million places of a trillion, with factors and gradients, take less than a gigabyte",
          "[factorisation][deep]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("sanitizers take memory of their own");
#endif
    constexpr std::int64_t extent = 1'000'000, places = 10'000'000, each = places / extent, rank = 16;
    trim_result_pool();
    const auto taken = testing::peak_bytes([&] {
        std::vector<std::int64_t> rows(places), columns(places);
        Tensor<float> values({places});
        unsigned seed = 1;
        for (std::int64_t i = 0; i < places; ++i) {
            seed = seed * 1664525U + 1013904223U;
            rows[i] = i / each;
            columns[i] = i % each * (extent / each) + seed % (extent / each);
            values.data()[i] = static_cast<float>(seed >> 20U);
        }
        const auto m =
            MaskedTensor<float>::coo({extent, extent}, {std::move(rows), std::move(columns)}, values);
        const Tensor<float> u = full<float>({extent, rank}, 0.5F), v = full<float>({extent, rank}, 0.25F);
        const auto loss = sum(square(m - matmul(u, transpose(v, 0, 1))));
        const auto [value, of_u, of_v] = eval(loss, gradient(loss, u), gradient(loss, v), compiled);
        CHECK(std::isfinite(value.item()));
        CHECK(of_u.layout() == Layout::rows);
        CHECK(of_u.values().size() == extent * rank);
        CHECK(of_v.layout() == Layout::rows);
    });
    if (!taken) SKIP("this system does not count memory");
    CHECK(*taken < 1'000'000'000);
}

}  // namespace factorisations_test
