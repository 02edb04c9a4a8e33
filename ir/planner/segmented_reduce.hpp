// SPDX-License-Identifier: MIT
#pragma once
#include "plan.hpp"
#include "sparse_vector.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace frisket::plan {

/// Listed elements, put together in slices.
struct ListSlices {
    Shape shape;                            ///< shape of the dimensions that stay
    std::shared_ptr<const IndexList> list;  ///< row-major positions of the slices
    CoalescePlan entries;                   ///< entries of each slice
    std::vector<std::int64_t> positions;    ///< for each entry: its position within the dimensions that go
};

/// The slices along `dims` of a tensor that has elements at these row-major positions.
ListSlices slices_of(std::span<const std::int64_t> positions, const Shape& shape,
                     std::span<const std::int64_t> dims);

/// A reduction of listed elements along some dimensions: for the slices that have one, each in row-major
/// order, of those elements for which `where` is true.
/// Cost: linear in the number of elements.
SparseVector segmented_reduce(const ReduceStage& stage, const ListSlices& slices, const AnyTensor& x,
                              const std::optional<AnyTensor>& y, const std::optional<AnyTensor>& where);

}  // namespace frisket::plan
