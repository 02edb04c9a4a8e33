// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "../tensor/masked_tensor.hpp"

/// Masked tensors of layouts that are lists, as the values they store.
namespace frisket::runtime {

/// The row-major position of each stored value, in the order in which they are stored; 0 for what a block
/// does not specify.
/// Shape: layout coo without duplicates, csr, csc, bsr, bsc or two_four.
std::vector<std::int64_t> stored_positions(const AnyMasked& masked);

/// The masked tensor as a list of coordinates: coo without duplicates, row-major, its values contiguous.
AnyMasked as_list(const AnyMasked& masked);

/// A masked tensor with the index of `like`, which it shares, and other values, of any dtype; rows of layout
/// rows may have another shape.
/// Shape: one value for each stored one, or a row for each stored row.
AnyMasked with_values(const AnyMasked& like, AnyTensor values);

}  // namespace frisket::runtime
