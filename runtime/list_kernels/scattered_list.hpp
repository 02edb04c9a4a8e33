// SPDX-License-Identifier: MIT
// Scatters entries of lists.
#pragma once
#include "../tensor/masked_tensor.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace frisket::list_kernels {

/// The indices of entries along a dimension of their target: a sum.
struct ScatteredIndex {
    std::int64_t first = 0;
    Strides steps = {};                     ///< along each dimension of the entries' space; empty: none
    std::optional<AnyTensor> indices = {};  ///< int64, of the space
};

/// Entries that are scattered: elements, or rows.
struct Scattered {
    Layout layout = Layout::coo;          ///< rows, or coo
    const Shape& target;                  ///< shape that they are scattered into
    AnyTensor values;                     ///< dimensions of the space, then of a row, which is contiguous
    Shape space;                          ///< dimensions of the entries
    std::vector<ScatteredIndex> indices;  ///< for each dimension of the target; for rows only the first
    std::optional<AnyTensor> where = {};  ///< bool, of the space: entries at false are left out
};

/// Scattered entries as a list without duplicates: entries of one position are added in float64, in their
/// order.
/// Cost: linear in the entries, and their positions are sorted unless they ascend.
AnyMasked scattered_list(const Scattered& scattered);

/// The entries of two lists of one layout without duplicates, by their positions; entries of one position are
/// added.
AnyMasked united(const AnyMasked& a, const AnyMasked& b);

}  // namespace frisket::list_kernels
