// SPDX-License-Identifier: MIT
// Multiplies lists by lists.
#pragma once
#include "list_lines.hpp"

namespace frisket::list_kernels {

/// A factor of a product of lists: its rows, and a value for each entry.
struct ListFactor {
    const ListLines& lines;
    const AnyTensor& values;
};

/// The shapes of a product of lists.
struct ListProductShape {
    std::int64_t rows = 0, inner = 0, columns = 0;  ///< extents of a batch
    std::int64_t batches = 1;      ///< the left factor has the rows of all, one after the other
    std::int64_t right_count = 1;  ///< matrices of the right factor: one for each batch, or one for all

    Shape result() const { return {batches * rows, columns}; }
    /// The number of the right factor's first row that a row of the left one is multiplied with.
    std::int64_t first_row(std::int64_t row) const { return right_count == 1 ? 0 : row / rows * inner; }
};

/// The product of two lists as coo: row by row of the left one (F. Gustavson, ACM TOMS 4 (1978) 250).  Terms
/// are added as in Reduction::contract.
/// Cost: linear in the terms; where rows are much longer than their terms, the cost of sorting these.
AnyMasked list_by_list(const ListFactor& left, const ListFactor& right, const ListProductShape& shape,
                       const RunTasks& run);
/// The elements of such a product that have a term and are at the positions of a list: the bits of the whole
/// product.
/// Cost: linear in the terms and in the rows; where rows are much longer than their terms, a search for each
/// term.
AnyMasked list_by_list_at(const ListLines& places, const ListFactor& left, const ListFactor& right,
                          const ListProductShape& shape, const RunTasks& run);

}  // namespace frisket::list_kernels
