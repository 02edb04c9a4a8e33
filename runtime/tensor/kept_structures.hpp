// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace frisket::runtime {

/// Structures that were made of a list and stay with it, to be found again: its rows, its order by columns.
/// A copy keeps none, and any two are equal.  A structure must not own the list that keeps it.  Lists of
/// structures keep others in turn, some levels deep, so that a list holds no endless chain of them.
/// Threads: several may ask at once.
class KeptStructures {
public:
    /// Kinds of structures, each of a type of its own.
    enum class Kind : std::uint8_t { slices, permutation, conversion };
    /// Numbers that say which of its kind a structure is.
    using Key = std::vector<std::int64_t>;

    KeptStructures() = default;
    KeptStructures(const KeptStructures&) noexcept {}
    KeptStructures& operator=(const KeptStructures&) noexcept { return *this; }
    ~KeptStructures() = default;
    bool operator==(const KeptStructures&) const noexcept { return true; }

    /// The structure that was kept, or else make(), which is kept unless the list is part of the last level.
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
    /// Memory of what is kept.
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

}  // namespace frisket::runtime
