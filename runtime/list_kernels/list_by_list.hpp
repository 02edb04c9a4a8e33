// SPDX-License-Identifier: MIT
#pragma once
#include "list_lines.hpp"

namespace frisket::list_kernels {

/// A factor of a product of lists: its rows, and a value for each entry.
struct ListFactor {
    const ListLines& lines;
    const AnyTensor& values;
};

/// The product of two lists, `shape[0]` by `inner` and `inner` by `shape[1]`, as coo: row by row of the left
/// one (F. Gustavson, ACM TOMS 4 (1978) 250).  Terms are added as Reduction::contract says.
/// Cost: linear in the terms; where rows are much longer than their terms, that of sorting these.
AnyMasked list_by_list(const ListFactor& left, const ListFactor& right, const Shape& shape,
                       std::int64_t inner, const RunTasks& run);
/// The elements of such a product that have a term and lie at the places of a list: the bits of the whole
/// product.
/// Cost: linear in the terms and in the rows; where rows are much longer than their terms, a search for each
/// term.
AnyMasked list_by_list_at(const ListLines& places, const ListFactor& left, const ListFactor& right,
                          const Shape& shape, std::int64_t inner, const RunTasks& run);

}  // namespace frisket::list_kernels
