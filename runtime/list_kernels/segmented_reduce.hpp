// SPDX-License-Identifier: MIT
// Reduces lists along dimensions.
#pragma once
#include "../tensor/dtype.hpp"
#include "sparse_vector.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace frisket::list_kernels {

/// Listed elements, put together in slices.
struct ListSlices {
    Shape shape;                            ///< shape of the dimensions that stay
    std::shared_ptr<const IndexList> list;  ///< row-major positions of the slices
    CoalescePlan entries;                   ///< entries of each slice; without an order they come as they are
    std::vector<std::int64_t> positions;    ///< for each entry: its position within the dimensions that go
    std::int64_t bytes() const;
    template <class Body>
    void each_kept(const Body& body) const {
        body(list->kept());
    }
};

/// The slices along `dims` of a tensor that has elements at the row-major positions of a list; stored with
/// the list.  `has_positions`: whether positions within the slices are made.
std::shared_ptr<const ListSlices> slices_of(const IndexList& list, const Shape& shape,
                                            std::span<const std::int64_t> dims, bool has_positions);

/// True if every byte of a line of bools is true.
bool all_true(const AnyTensor& bools);

/// A reduction of listed elements along some dimensions: for the slices that have one, each in row-major
/// order, of those elements for which `where` is true.  `y`: the other factors of Reduction::contract; x or
/// they may be a single number.  `dtype`: x's dtype; float64 for sums and products of float32, int64 for
/// positions.
/// Shape: positions within the slices are there for those reductions that read them.
/// Cost: linear in the number of elements.
SparseVector segmented_reduce(Reduction reduction, const ListSlices& slices, const AnyTensor& x,
                              const std::optional<AnyTensor>& y, const std::optional<AnyTensor>& where,
                              DType dtype);

}  // namespace frisket::list_kernels
