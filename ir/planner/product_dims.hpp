// SPDX-License-Identifier: MIT
// Maps the dimensions of a reduced product to the rows, columns and batches of matrices.
#pragma once
#include "../rewrite.hpp"
#include "repeated_dims.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace frisket::planning {

/// A factor of a product of matrices, in the dimensions of terms.  The rank of terms represents a row or a
/// column that a vector does not have.
struct FactorDims {
    bool is_left = false;
    std::uint64_t dims = 0;                 ///< a bit for each dimension that it may have
    std::vector<std::size_t> batches = {};  ///< dimensions of the terms that remain, except rows and columns
    std::vector<std::size_t> matrix = {};   ///< its row and the reduced dimensions, or these and its column
    std::vector<NodeId> parts = {};         ///< parts of the mask of terms that restrict only the factor
    bool is_batched = false;                ///< it, or one of the parts, differs along a batch
};

/// The dimensions of terms as dimensions of a product of matrices.
struct ProductDims {
    std::uint64_t reduced = 0;             ///< a bit for each dimension that is reduced
    std::vector<std::size_t> result = {};  ///< batches, row, column
    std::array<FactorDims, 2> factors = {};
    std::vector<NodeId> of_lines = {};  ///< the parts that differ only along the reduced dimensions
    NodeId of_result = no_node;  ///< the parts of the mask that are the same along the reduced dimensions

    bool is_reduced(std::size_t dim) const { return ((reduced >> dim) & 1U) != 0; }
};

/// The parts of a conjunction, each once.  `through_views`: also of one that a view shows.
std::vector<NodeId> parts_of(ir::Rewriter& to, RepeatedDims& repeated, NodeId mask, bool through_views);

/// A bit for each dimension of terms of this rank in which a node differs.
std::uint64_t dims_of_terms(const ir::Rewriter& to, RepeatedDims& repeated, NodeId id, std::size_t rank);

/// Finds a row and a column among the dimensions that a reduction keeps, and the factor that each part of a
/// mask of terms restricts; the other dimensions are batches.  Nothing: a part restricts none.
/// `used`: the dimensions in which the factors differ.
std::optional<ProductDims> product_dims(const ir::Rewriter& to, RepeatedDims& repeated, const Node& reduction,
                                        std::size_t rank, const std::vector<NodeId>& parts,
                                        std::array<std::uint64_t, 2> used);

}  // namespace frisket::planning
