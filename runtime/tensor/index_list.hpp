// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kept_structures.hpp"
#include "pooled_array.hpp"

namespace frisket {

/// Groups of stored entries with equal indices: unique index u owns the entries order[start[u]] …
/// order[start[u + 1] - 1], in the order in which they were given.
struct CoalescePlan {
    std::vector<std::int64_t> order;
    std::vector<std::int64_t> start;
};

/// Indices of stored elements or rows: in 32 bits where the range allows, as the loops want them.  Immutable.
class IndexList {
public:
    /// Every index lies in [0, bound).
    IndexList(std::vector<std::int64_t> indices, std::int64_t bound);
    /// A copy of `size` indices, each in [0, bound).
    IndexList(const std::int64_t* indices, std::int64_t size, std::int64_t bound);
    /// Strictly ascending indices, each in [0, bound), which are not looked at.
    static std::shared_ptr<const IndexList> of_ascending(runtime::PooledArray<std::int64_t> indices,
                                                         std::int64_t bound);

    /// Number of entries.
    std::int64_t size() const noexcept { return size_; }
    /// Upper bound of the indices, exclusive.
    std::int64_t bound() const noexcept { return bound_; }
    bool is_narrow() const noexcept { return narrow_storage_; }                ///< bound is at most 2^31
    std::span<const std::int32_t> narrow() const noexcept { return narrow_; }  ///< empty unless is_narrow()
    std::span<const std::int64_t> wide() const noexcept { return wide_; }      ///< empty if is_narrow()
    /// Index of an entry; i is in [0, size()).
    std::int64_t operator[](std::int64_t i) const {
        return narrow_storage_ ? narrow_.data()[i] : wide_.data()[i];
    }

    /// Strictly ascending: sorted and without duplicates.
    bool is_coalesced() const noexcept { return coalesced_; }

    /// An entry as one number: its index in the upper 32 bits, its position in the lower ones.
    using Key = std::uint64_t;
    /// Index of a key.
    static std::int64_t index_of(Key key) { return static_cast<std::int64_t>(key >> 32); }
    /// Position of a key.
    static std::int64_t position_of(Key key) { return static_cast<std::int64_t>(key & 0xffffffff); }
    /// True if entries fit into keys: the list is narrow, and shorter than 2^32.
    bool has_keys() const noexcept { return narrow_storage_ && size_ < std::int64_t{1} << 32; }
    /// The entries by index, equal ones in the order in which they were given.  Made at the first call.
    /// Threads: may be called from several at once, as may the functions below.
    std::span<const Key> keys() const;

    /// The sorted list without duplicates; `this` must not be coalesced already.  Made at the first
    /// call.
    const IndexList& unique() const;
    /// Entries of each index of unique().  Made at the first call.
    const CoalescePlan& plan() const;

    /// Internal: what was made of the list, to be found again.
    const runtime::KeptStructures& kept() const noexcept { return structures_; }
    /// Memory of the indices, and of what is kept with them.
    std::int64_t bytes() const;

private:
    IndexList(std::in_place_t, std::int64_t size, std::int64_t bound);
    void sort() const;
    void coalesce() const;

    std::int64_t size_ = 0;
    std::int64_t bound_ = 0;
    bool narrow_storage_ = true;
    bool coalesced_ = true;
    runtime::PooledArray<std::int32_t> narrow_;
    runtime::PooledArray<std::int64_t> wide_;
    runtime::KeptStructures structures_;
    mutable std::once_flag sort_once_, coalesce_once_;
    mutable std::vector<Key> keys_;
    mutable CoalescePlan plan_;
    mutable std::unique_ptr<const IndexList> unique_;
};

}  // namespace frisket
