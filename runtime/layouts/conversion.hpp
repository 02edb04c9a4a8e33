// SPDX-License-Identifier: MIT
// Converts masked tensors between layouts of matrices.
#pragma once
#include "../tensor/masked_tensor.hpp"

/// Conversions between layouts that store matrices element by element.  Structures computed from a list stay
/// with it: its next conversion moves only values.
namespace frisket::runtime {

/// The elements of one layout as another one stores them.
struct Conversion {
    std::shared_ptr<const IndexList> list;         ///< positions of coo
    std::shared_ptr<const CompressedIndex> index;  ///< index of csr, csc, bsr and bsc
    /// The entry that each value comes from, null if they stay; for bsr and bsc: the slot of each value.
    std::shared_ptr<const IndexList> order;
    std::int64_t bytes() const;
    template <class Body>
    void each_kept(const Body& body) const {
        if (list) body(list->kept());
        if (index) body(index->kept);
    }
};

/// A masked matrix in another of these layouts; its values are a copy.
/// Shape: the layouts of both are such; `masked` has no duplicates.
/// Errors: ShapeError if memory for the pointers runs out.
AnyMasked moved_elements(const AnyMasked& masked, Layout to);
/// Shares values that keep their order; else as moved_elements.
AnyMasked seen_elements(const AnyMasked& masked, Layout to);

}  // namespace frisket::runtime
