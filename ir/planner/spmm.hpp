// SPDX-License-Identifier: MIT
#pragma once
#include "sparse_operands.hpp"

#include <cstdint>
#include <optional>

namespace frisket {

/// A product of two matrices, at least one of which is a list: the instruction and what it multiplies.
struct ListProduct {
    NodeId id = no_node;
    NodeId left = no_node, right = no_node;
};

/// The product that an instruction is, if it is one: the sum of the products of what stands in a row of the
/// left matrix and a column of the right one, over the terms whose factors are specified.
std::optional<ListProduct> list_product(const SparseOperands& operands, NodeId id);

/// The matrices of a product, of its dtype; one that is dense has no list.
struct Factors {
    SparseVector left, right;
    std::int64_t rows = 0, inner = 0, columns = 0;
};

/// Terms are rounded to the dtype, and their sums carried in float64, in the order of the inner dimension.
/// Layout rows if the left matrix is a list and the right one is dense, else coo.
/// Cost: linear in the number of terms; of two lists, that of sorting them row by row.
AnyMasked multiplied(const Factors& factors);

}  // namespace frisket
