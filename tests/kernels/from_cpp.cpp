// SPDX-License-Identifier: MIT
#include <frisket/runtime.hpp>

#include <catch2/catch_test_macros.hpp>
#include <few_kernels.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace kernels_from_cpp_test {

using namespace frisket;

namespace {

constexpr std::int64_t rows = 5, columns = 67;

/// A value that depends on its index; every third element of an odd row is specified.
float gradient_at(std::int64_t i, std::int64_t j) { return static_cast<float>((i * 7 + j) % 5) - 2.5F; }
bool is_specified(std::int64_t i, std::int64_t j) { return i % 2 == 1 && j % 3 == 0; }

MaskedTensor<float> gradient_of(Layout layout) {
    const Tensor<float> values({rows, columns});
    const Tensor<bool> mask({rows, columns});
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            mask.data()[i * columns + j] = is_specified(i, j);
            // Unspecified values must not be seen.
            values.data()[i * columns + j] = is_specified(i, j) ? gradient_at(i, j) : NAN;
        }
    return MaskedTensor<float>(AnyMasked(masked(values, mask)).to(layout));
}

/// An element of the parameter after the row-wise step, by hand.
float expected(float before, std::int64_t i, std::int64_t j) {
    if (!is_specified(i, j)) return before;
    double sum = 1;
    for (std::int64_t k = 0; k < columns; ++k)
        if (is_specified(i, k)) sum += static_cast<double>(gradient_at(i, k)) * gradient_at(i, k);
    return before - 0.5F * gradient_at(i, j) / std::sqrt(static_cast<float>(sum));
}

void check_rows(Layout layout) {
    const Tensor<float> param = full<float>({rows, columns}, 3), sums = full<float>({rows, 1}, 1);
    few_kernels::row_wise(few::param = param, few::row_sum = sums, few::grad = gradient_of(layout),
                          few::lr = 0.5);
    int wrong = 0;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
            wrong += std::abs(param.data()[i * columns + j] - expected(3, i, j)) > 1e-6F ? 1 : 0;
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a planned step ahead of time steps the rows of a mask and of a list as a loop by hand") {
    check_rows(Layout::strided);
    check_rows(Layout::coo);
}

TEST_CASE("an elementwise step ahead of time gives the same bytes for a mask and for a list") {
    const Tensor<float> a = full<float>({rows, columns}, 3), b(a.clone());
    const Tensor<float> sum_a = full<float>({rows, columns}, 1), sum_b(sum_a.clone());
    few_kernels::adagrad(few::param = a, few::total = sum_a, few::grad = gradient_of(Layout::strided),
                         few::lr = 0.5);
    few_kernels::adagrad(few::param = b, few::total = sum_b, few::grad = gradient_of(Layout::coo),
                         few::lr = 0.5);
    CHECK(same(a, b));
    CHECK(same(sum_a, sum_b));
    CHECK(a.data()[0] == 3);
    CHECK(a.data()[columns] != 3);
}

TEST_CASE("a library refuses a layout that it lacks") {
    const Tensor<float> param = full<float>({2, 3}, 3), sums = full<float>({2, 3}, 1);
    const auto listed = MaskedTensor<float>::rows({2, 3}, {1}, {1, 2, 3});
    CHECK_THROWS_AS(
        few_kernels::adagrad(few::param = param, few::total = sums, few::grad = listed, few::lr = 0.5),
        LayoutError);
    CHECK(same(param, full<float>({2, 3}, 3)));
}

}  // namespace kernels_from_cpp_test
