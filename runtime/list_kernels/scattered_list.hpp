// SPDX-License-Identifier: MIT
// Scatters entries of lists.
#pragma once
#include "../tensor/masked_tensor.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace frisket::list_kernels {

/// The indices of entries along a dimension of what they are scattered into: a sum.
struct ScatteredIndex {
    std::int64_t first = 0;
    Strides steps = {};                     ///< along each dimension of the entries' space; empty: none
    std::optional<AnyTensor> indices = {};  ///< int64, of the space
};

/// Entries that are scattered: elements, or rows.
struct Scattered {
    Layout layout = Layout::coo;          ///< rows, or coo
    const Shape& target;                  ///< shape that they are scattered into
    AnyTensor values;                     ///< of the space, then of a row, which lies in one piece
    Shape space;                          ///< of the entries
    std::vector<ScatteredIndex> indices;  ///< for each dimension of the target; of rows the first alone
    std::optional<AnyTensor> where = {};  ///< bool, of the space: the others are left out
};

/// Scattered entries as a list without duplicates: those of one place are added in float64, in their order.
/// Cost: linear in the entries, and their places are sorted unless they ascend.
AnyMasked scattered_list(const Scattered& scattered);

/// The entries of two lists of one layout without duplicates, by their places; those of one place are added.
AnyMasked united(const AnyMasked& a, const AnyMasked& b);

}  // namespace frisket::list_kernels
