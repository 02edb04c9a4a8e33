// SPDX-License-Identifier: MIT
// Products of lists and columns: sums of few terms each, in the order that products have.
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include "../../../runtime/limits.hpp"

namespace list_columns_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t panel = limits::product_panel;

/// A list with every `step`-th element, in a matrix that is not symmetric.
template <class T>
MaskedTensor<T> every(std::int64_t rows, std::int64_t columns, std::int64_t step, Layout layout) {
    std::vector<std::int64_t> row, column;
    std::vector<T> values;
    for (std::int64_t at = 1; at < rows * columns; at += step) {
        row.push_back(at / columns);
        column.push_back(at % columns);
        values.push_back(static_cast<T>((at % 17) - 8) / T{3});
    }
    const std::int64_t count = std::ssize(values);
    const auto made = MaskedTensor<T>::coo({rows, columns}, {row, column}, Tensor<T>({count}, values));
    return MaskedTensor<T>(made.to(layout));
}

template <class T>
void check_columns(std::int64_t rows, std::int64_t columns, std::int64_t step, Layout layout) {
    CAPTURE(rows, columns, step, name_of(layout));
    const EvalOptions how = options();
    const MaskedTensor<T> list = every<T>(rows, columns, step, layout);
    const Tensor<T> of_rows = random_tensor<T>({rows, 1}, 3), of_columns = random_tensor<T>({columns, 1}, 4);
    CHECK(same(eval(matmul(list, of_columns), how), oracle(matmul(strided(list), of_columns))));
    CHECK(same(eval(matmul(transpose(list, 0, 1), of_rows), how),
               oracle(matmul(transpose(strided(list), 0, 1), of_rows))));
    CHECK(same(eval(matmul(transpose(of_rows, 0, 1), list), how),
               oracle(matmul(transpose(of_rows, 0, 1), strided(list)))));
}

}  // namespace

TEST_CASE("a list times a column sums in the order of its terms", "[codegen][list_columns]") {
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc);
    // Around one entry for eight columns.
    const std::int64_t step = GENERATE(3, 159, 160, 161, 700);
    check_columns<float>(20, 33, step, layout);
    check_columns<double>(20, 33, step, layout);
    check_columns<std::int32_t>(20, 33, step, layout);
    check_columns<std::int64_t>(20, 33, step, layout);
}

TEST_CASE("a list times a column sums panel by panel", "[codegen][list_columns]") {
    const std::int64_t rows = GENERATE(panel - 1, panel, panel + 1, 3 * panel + 2);
    const Layout layout = GENERATE(Layout::csr, Layout::csc);
    check_columns<float>(rows, 5, 3, layout);
    check_columns<float>(5, rows, 3, layout);
    check_columns<double>(rows, 5, 3, Layout::csr);
}

TEST_CASE("a sum of a list's products is no -0", "[codegen][list_columns]") {
    const auto list = MaskedTensor<float>::coo({2, 3}, {{0, 1}, {1, 2}}, {-1.0F, 0.0F});
    const Tensor<float> column({2, 1}, {0.0F, -5.0F});
    const auto found = eval(matmul(transpose(list, 0, 1), column), options());
    CHECK(same(found.to_dense(7), Tensor<float>({3, 1}, {7.0F, 0.0F, 0.0F})));
}

}  // namespace list_columns_test
