// SPDX-License-Identifier: MIT
// Sums rows that indices select.
#pragma once
#include "list_lines.hpp"

namespace frisket::list_kernels {

/// Sums of rows that lines of indices select.
struct RowSums {
    const Shape& space;   ///< space of the indices
    std::int64_t length;  ///< indices of each sum, along the last dimensions of the space
    const Shape& shape;   ///< shape of the result
    DType dtype;          ///< the table's dtype, or float64
};

/// The sums of rows of a table that lines of indices say, added in float64 in their order.  Indices beyond
/// the table read its first or last row: who reads them checks them.
AnyTensor gathered_sums(const RowSums& sums, AnyTensor table, const AnyTensor& indices, const RunTasks& run);

}  // namespace frisket::list_kernels
