// SPDX-License-Identifier: MIT
// Reads the stored values of lists.
#pragma once
#include "../tensor/masked_tensor.hpp"

/// Masked tensors of layouts that are lists, as the values they store.
namespace frisket::runtime {

/// The masked tensor as a list of coordinates: coo without duplicates, row-major, its values contiguous.
AnyMasked as_list(const AnyMasked& masked);

/// A masked tensor with the index of `like`, which it shares, and other values, of any dtype; rows of layout
/// rows may have another shape.
/// Shape: one value for each stored one, or a row for each stored row.
AnyMasked with_values(const AnyMasked& like, AnyTensor values);

}  // namespace frisket::runtime
