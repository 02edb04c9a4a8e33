// SPDX-License-Identifier: MIT
// Moves the elements of lists: transpositions, slices, rolls.
#pragma once
#include "../tensor/index_list.hpp"
#include "../tensor/shape.hpp"
#include "sparse_vector.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Operations that move elements of lists.  Cost: linear in the lists, and where positions change their
/// order, the cost of sorting them.
namespace frisket::list_kernels {

/// New order of the elements of lists.
struct Permutation {
    std::shared_ptr<const IndexList> list;
    std::shared_ptr<const IndexList> entries;  ///< for each position: the entry at it, counted
                                               ///< through all lists in a line
    std::int64_t bytes() const { return list->bytes() + entries->bytes(); }
    template <class Body>
    void each_kept(const Body& body) const {
        body(list->kept());
    }
};

/// Positions in a tensor of a shape, in any order, and the entry of each among `count`.
Permutation sorted_permutation(std::vector<std::int64_t> positions, std::vector<std::int64_t> entries,
                               const Shape& shape, std::int64_t count);

/// A view of a tensor: index `d` of the element that it shows at an index `j` is offset `d` and the sum of
/// coefficients `d * rank + j`, times `j`.
struct ElementView {
    const Shape& shape;  ///< shape of the view
    std::span<const std::int64_t> coefficients;
    std::span<const std::int64_t> offsets;  ///< empty: zeros
};

/// True if each index of an operand runs along one dimension of a view at most: the view shows an element
/// once, not at all, or again and again along the other dimensions.
bool runs_along_dims(const ElementView& view);
/// True if a view shows each element of its operand once or not at all.
bool shows_once(const ElementView& view);
/// The positions at which a view shows a list of positions of its operand, and their entries.  Stored with
/// the list.
/// Shape: runs_along_dims(view); `shape` is the operand's.
/// Cost: linear in the positions that are shown, and where they change their order, the cost of sorting them.
std::shared_ptr<const Permutation> viewed(const IndexList& list, const Shape& shape, const ElementView& view);
/// Lists of positions of tensors of these shapes, one after the other along `dim`.
/// Cost: linear in the positions, and in the lists for each index before `dim` at which one has a position.
Permutation joined(std::span<const std::shared_ptr<const IndexList>> lists, std::span<const Shape> shapes,
                   int dim);

/// The vector at some of its positions.
/// Shape: all of `list` are positions of `from`.
SparseVector restricted(const SparseVector& from, const std::shared_ptr<const IndexList>& list);
/// The vector at the positions where a line of bools is true.
SparseVector where_true(const SparseVector& from, const AnyTensor& bools);
/// The positions where a bool is true.
SparseVector true_of(const SparseVector& from);

}  // namespace frisket::list_kernels
