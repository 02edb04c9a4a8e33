// SPDX-License-Identifier: MIT
// Multiplies a list with dense matrices where the result is read.
#pragma once
#include "list_by_list.hpp"

namespace frisket::list_kernels {

/// The dense matrices of a product, one for all batches or one for each.
struct DenseFactor {
    const AnyTensor& values;     ///< two dimensions, or three
    bool is_transposed = false;  ///< stored as the transposed matrices
    bool is_left = false;        ///< the lines of the list are columns of the result, else its rows
};

/// The elements of the product of a list and dense matrices that have a term and are at the positions of a
/// list: the bits of the whole product.
/// Shape: the lines of `list` have the length `shape.inner`.  `is_repeated`: the list has the lines of one
/// batch, which serve each batch.
/// Cost: linear in the entries of the lines of each position.
AnyMasked list_by_dense_at(const AnyMasked& places, const ListFactor& list, const DenseFactor& dense,
                           const ListProductShape& shape, bool is_repeated, const RunTasks& run);

}  // namespace frisket::list_kernels
