// SPDX-License-Identifier: MIT
// Multiplies lists by dense matrices.
#pragma once
#include "../tensor/masked_tensor.hpp"
#include "list_lines.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace frisket::list_kernels {

/// A matrix of a product, or one for each batch, one after the other: dense, or a list of row-major positions
/// or of compressed rows.
struct FactorMatrix {
    AnyTensor values = {};  ///< dense: two dimensions, or three if there are several; else a value for
                            ///< each entry
    std::shared_ptr<const IndexList> positions = {};         ///< ascending
    std::shared_ptr<const CompressedIndex> compressed = {};  ///< rows of one csr matrix
    std::optional<AnyTensor> where = {};  ///< bools of positions, false of entries to leave out
    std::int64_t count = 1;               ///< number of matrices: 1, or one for each batch
    bool is_transposed = false;           ///< stored as the transposed matrices

    bool is_dense() const noexcept { return positions == nullptr && compressed == nullptr; }
};

/// The matrices of a product, of its dtype.
struct Factors {
    FactorMatrix left, right;
    std::int64_t rows = 0, inner = 0, columns = 0;  ///< extents of a batch
    std::int64_t batches = 1;
    /// A list of the result's elements without duplicates: other elements may be left out.
    std::optional<AnyMasked> places = {};
};

/// The products of all batches, one after the other as rows of one matrix.
/// Terms are added as in Reduction::contract.
/// Layout rows if the result's rows are a list's rows and the other matrix is dense, else coo.
/// Cost: linear in the number of terms; for two lists, the cost of sorting them row by row.
AnyMasked multiplied(const Factors& factors, const RunTasks& run);

/// The products of rows of two dense matrices, left(row, k) and right(column, k), at the positions of a list;
/// for each batch: an index of the dimensions of the list before its last two.
/// Shape: `domain` is coo without duplicates, csr or csc; the matrices are of one dtype, of two dimensions or
/// three: one for each batch.
AnyTensor sampled_products(const AnyMasked& domain, const AnyTensor& left, const AnyTensor& right,
                           const RunTasks& run);

}  // namespace frisket::list_kernels
