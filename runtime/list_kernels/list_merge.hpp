// SPDX-License-Identifier: MIT
// Merges lists of positions.
#pragma once
#include "../tensor/index_list.hpp"
#include "../tensor/tensor.hpp"

#include <memory>
#include <vector>

/// Lists of positions put together.  Cost: linear in their sizes; equal lists are not merged.
namespace frisket::list_kernels {

/// Entries of a list at the positions of another one.
struct ListEntries {
    bool are_all = true;                         ///< the lists are equal
    AnyTensor is_there = {};                     ///< union: a bool for each position, whether the list has it
    runtime::PooledArray<std::int64_t> at = {};  ///< intersection: for each position its entry
};

/// Positions that any of some lists has, or that all of them have.
struct MergedLists {
    std::shared_ptr<const IndexList> list;
    std::vector<ListEntries> entries;  ///< entries of each list
};

/// True if two lists of one bound have the same positions.
bool are_equal(const std::shared_ptr<const IndexList>& a, const std::shared_ptr<const IndexList>& b);

/// Shape: at least one list, all strictly ascending and of one bound.
MergedLists union_of(const std::vector<std::shared_ptr<const IndexList>>& lists);
/// Shape: as union_of.
MergedLists intersection_of(const std::vector<std::shared_ptr<const IndexList>>& lists);

/// Values of a list at the positions; at positions that it does not have they hold anything.
/// Shape: `values` are contiguous.
AnyTensor values_at(const ListEntries& entries, const AnyTensor& values);

}  // namespace frisket::list_kernels
