// SPDX-License-Identifier: MIT
// Stores lists of indices, sorted once and shared.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace frisket {

namespace runtime {

/// Memory for elements that will be written: from the pool of results if it is large.
/// Errors: std::bad_alloc.
void* take_array(std::int64_t bytes);
/// Releases memory of take_array.
void give_array(void* data, std::int64_t bytes) noexcept;

/// Numbers in memory of the pool; new numbers hold anything.
template <class T>
class PooledArray {
public:
    PooledArray() noexcept = default;
    /// Room for the given number.  Errors: std::bad_alloc.
    explicit PooledArray(std::int64_t size)
        : data_(static_cast<T*>(take_array(size * bytes))), size_(size), room_(size) {}
    PooledArray(PooledArray&& from) noexcept
        : data_(std::exchange(from.data_, nullptr)),
          size_(std::exchange(from.size_, 0)),
          room_(std::exchange(from.room_, 0)) {}
    PooledArray& operator=(PooledArray&& from) noexcept {
        std::swap(data_, from.data_);
        std::swap(size_, from.size_);
        std::swap(room_, from.room_);
        return *this;
    }
    ~PooledArray() { give_array(data_, room_ * bytes); }

    T* data() noexcept { return data_; }              ///< the first number
    const T* data() const noexcept { return data_; }  ///< the first number
    /// Number of elements.
    std::int64_t size() const noexcept { return size_; }
    /// Forgets the elements from `size` on; the remaining elements move into less memory where that spares a
    /// quarter.
    void shrink(std::int64_t size) {
        size_ = size;
        if (size + size / 3 >= room_) return;
        PooledArray smaller(size);
        for (std::int64_t i = 0; i < size; ++i) smaller.data_[i] = data_[i];
        *this = std::move(smaller);
    }
    /// All of them.
    operator std::span<const T>() const noexcept { return {data_, static_cast<std::size_t>(size_)}; }

private:
    static constexpr std::int64_t bytes = sizeof(T);
    T* data_ = nullptr;
    std::int64_t size_ = 0, room_ = 0;
};

/// Takes the memory of a std::vector from the result pool; new elements are not initialised.
template <class T>
struct PoolAllocator {
    using value_type = T;  ///< type of the elements
    PoolAllocator() noexcept = default;
    /// The other's structures are not copied.
    template <class U>
    PoolAllocator(const PoolAllocator<U>& /*other*/) noexcept {}
    /// Memory for the given number of elements.  Errors: std::bad_alloc.
    T* allocate(std::size_t count) {
        return static_cast<T*>(take_array(static_cast<std::int64_t>(count * sizeof(T))));
    }
    /// Gives memory of allocate() back.
    void deallocate(T* data, std::size_t count) noexcept {
        give_array(data, static_cast<std::int64_t>(count * sizeof(T)));
    }
    /// Leaves a new element as its memory is.
    template <class U>
    void construct(U* at) noexcept {
        ::new (static_cast<void*>(at)) U;
    }
    /// Makes an element of arguments.
    template <class U, class... Arguments>
    void construct(U* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
    /// True: memory of one is given back to any.
    bool operator==(const PoolAllocator& /*other*/) const noexcept { return true; }
};
template <class T>
using PooledVector = std::vector<T, PoolAllocator<T>>;

/// Structures that were computed from a list and stay with it, to be found again: its rows, its order by
/// columns.  A copy keeps none, and any two are equal.  A structure must not own the list that keeps it.
/// Lists of structures keep further structures in turn, some levels deep, so that a list holds no endless
/// chain of them.
/// Threads: several may ask at once.
class KeptStructures {
public:
    /// Kinds of structures, each of a type of its own.
    enum class Kind : std::uint8_t { slices, permutation, conversion, transposed_lines };
    /// Numbers that say which of its kind a structure is.
    using Key = std::vector<std::int64_t>;

    KeptStructures() = default;
    /// Keeps nothing of the other.
    KeptStructures(const KeptStructures&) noexcept {}
    KeptStructures& operator=(const KeptStructures&) noexcept { return *this; }
    ~KeptStructures() = default;
    /// True: stored structures are no part of a value.
    bool operator==(const KeptStructures&) const noexcept { return true; }

    /// The stored structure, or else make(), which is stored unless the list is part of the last level.
    /// T has bytes(), its memory, and each_kept(body), which calls body(structures) for its own lists.
    template <class T, class Make>
    std::shared_ptr<const T> get(Kind kind, const Key& key, Make make) const {
        if (auto found = find(kind, key)) return std::static_pointer_cast<const T>(found);
        auto made = std::make_shared<const T>(make());
        if (is_last_level()) return made;
        made->each_kept([&](const KeptStructures& list) { list.level_ = level_ + 1; });
        keep(kind, key, made, [](const void* it) { return static_cast<const T*>(it)->bytes(); });
        return made;
    }
    /// Memory of the stored structures.
    std::int64_t bytes() const;

private:
    using Bytes = std::int64_t (*)(const void* structure);
    struct Kept {
        Kind kind;
        Key key;
        std::shared_ptr<const void> structure;
        Bytes bytes;
    };
    bool is_last_level() const noexcept;
    std::shared_ptr<const void> find(Kind kind, const Key& key) const;
    void keep(Kind kind, const Key& key, std::shared_ptr<const void> structure, Bytes bytes) const;

    mutable std::atomic<int> level_{0};  // number of structures, each in another, that hold the list
    mutable std::mutex mutex_;
    mutable std::vector<Kept> kept_;  // the last first
};

}  // namespace runtime

/// Groups of stored entries with equal indices: unique index u owns the entries order[start[u]] …
/// order[start[u + 1] - 1], in the order in which they were given.
struct CoalescePlan {
    runtime::PooledVector<std::int64_t> order;
    runtime::PooledVector<std::int64_t> start;
};

/// Indices of stored elements or rows: in 32 bits where the range allows, as the loops want them.  Immutable.
class IndexList {
public:
    /// Every index is in [0, bound).
    IndexList(std::vector<std::int64_t> indices, std::int64_t bound);
    /// A copy of `size` indices, each in [0, bound).
    IndexList(const std::int64_t* indices, std::int64_t size, std::int64_t bound);
    /// Strictly ascending indices, each in [0, bound), which are not looked at.
    static std::shared_ptr<const IndexList> of_ascending(runtime::PooledArray<std::int64_t> indices,
                                                         std::int64_t bound);

    /// `size` indices, each in [0, bound), which write(to) writes to memory of 32 or 64 bits each.
    template <class Write>
    static std::shared_ptr<const IndexList> written(std::int64_t size, std::int64_t bound,
                                                    const Write& write) {
        std::shared_ptr<IndexList> made(new IndexList(std::in_place, size, bound));
        if (made->narrow_storage_) {
            made->narrow_ = runtime::PooledArray<std::int32_t>(size);
            write(made->narrow_.data());
        } else {
            made->wide_ = runtime::PooledArray<std::int64_t>(size);
            write(made->wide_.data());
        }
        made->find_order();
        return made;
    }

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

    /// An entry as one number: its index in the upper 32 bits, its position in the lower 32.
    using Key = std::uint64_t;
    /// Index of a key.
    static std::int64_t index_of(Key key) { return static_cast<std::int64_t>(key >> 32); }
    /// Position of a key.
    static std::int64_t position_of(Key key) { return static_cast<std::int64_t>(key & 0xffffffff); }
    /// True if entries fit into keys: the list is narrow, and shorter than 2^32.
    bool has_keys() const noexcept { return narrow_storage_ && size_ < std::int64_t{1} << 32; }
    /// The entries by index, equal indices in the order in which they were passed.  Made at the first call.
    /// Threads: may be called from several at once, as may the functions below.
    std::span<const Key> keys() const;

    /// The sorted list without duplicates; `this` must not be coalesced already.  Made at the first
    /// call.
    const IndexList& unique() const;
    /// Entries of each index of unique().  Made at the first call.
    const CoalescePlan& plan() const;

    /// Internal: structures computed from the list, to be found again.
    const runtime::KeptStructures& kept() const noexcept { return structures_; }
    /// Memory of the indices, and of the structures stored with them.
    std::int64_t bytes() const;

private:
    IndexList(std::in_place_t, std::int64_t size, std::int64_t bound);
    /// Finds whether they ascend.
    void find_order();
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
    mutable runtime::PooledVector<Key> keys_;
    mutable CoalescePlan plan_;
    mutable std::unique_ptr<const IndexList> unique_;
};

}  // namespace frisket
