// SPDX-License-Identifier: MIT
// Multiplies a transposed list by a column, without an order of the transposed list.
#pragma once
#include "../tensor/tensor.hpp"
#include "line_products.hpp"
#include "list_lines.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace frisket::list_kernels {

/// Results for the lines of a list that have entries.
struct LineResults {
    std::vector<std::int64_t> numbers;
    AnyTensor values;  ///< a row for each
};

/// A matrix that is a list, and its extents.
struct StoredMatrix {
    const ListLines& lines;
    const AnyTensor& values;  ///< a value for each entry
    std::int64_t rows = 0, columns = 0;
};

/// The transposed list times a column of as many numbers as the list has rows: each product is added to the
/// sum of its column.  Terms are added as in Reduction::contract.  Nothing if the list has few entries for
/// its columns, or more columns than sums that a cache holds.
template <class T>
std::optional<LineResults> scattered_products(const StoredMatrix& list, const MatrixRows<T>& column);

}  // namespace frisket::list_kernels
