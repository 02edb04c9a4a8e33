// SPDX-License-Identifier: MIT
#include "index_list.hpp"

#include "../limits.hpp"
#include "../support/fork.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace frisket {

namespace {

using limits::most_digit_bits, limits::short_list;

struct IndexedPosition { std::int64_t index, position; };

/// Sorts by index_of, in passes over a few bits each; equal entries keep their order.  `bound`: bound of the
/// indices.
template <class T, class Index>
void radix_sort(std::span<T> entries, std::int64_t bound, Index index_of) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bound - 1)));
    const int passes = (bits + most_digit_bits - 1) / most_digit_bits;
    const int digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
    const std::int64_t digits = std::int64_t{1} << digit_bits;
    const auto digit = [&](const T& entry, int pass) {
        return static_cast<std::size_t>(index_of(entry) >> pass * digit_bits & (digits - 1));
    };
    const auto other = std::make_unique_for_overwrite<T[]>(entries.size());
    // Entries of each digit of each pass, then the place of the next one.
    std::vector<std::array<std::size_t, std::size_t{1} << most_digit_bits>> next(
        static_cast<std::size_t>(passes));
    for (const T& entry : entries)
        for (int pass = 0; pass < passes; ++pass) ++next[static_cast<std::size_t>(pass)][digit(entry, pass)];
    T *from = entries.data(), *to = other.get();
    for (int pass = 0; pass < passes; ++pass) {
        auto& places = next[static_cast<std::size_t>(pass)];
        std::size_t start = 0;
        for (std::size_t& count : places) start += std::exchange(count, start);
        for (const T& entry : std::span(from, entries.size())) to[places[digit(entry, pass)]++] = entry;
        std::swap(from, to);
    }
    if (from != entries.data()) std::copy_n(from, entries.size(), entries.data());
}

/// Groups of the entries in their order, and their indices.
struct Grouped {
    CoalescePlan plan;
    std::vector<std::int64_t> indices;
};
template <class T, class Index, class Position>
Grouped grouped(std::span<const T> entries, Index index_of, Position position_of) {
    Grouped made;
    auto& [plan, indices] = made;
    std::size_t groups = 0;
    for (std::size_t i = 0; i < entries.size(); ++i)
        groups += static_cast<std::size_t>(i == 0 || index_of(entries[i]) != index_of(entries[i - 1]));
    indices.resize(groups);
    plan.start.resize(groups + 1);
    plan.order.resize(entries.size());
    std::size_t group = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::int64_t index = index_of(entries[i]);
        if (i == 0 || index != indices[group - 1]) {
            plan.start[group] = static_cast<std::int64_t>(i);
            indices[group++] = index;
        }
        plan.order[i] = position_of(entries[i]);
    }
    plan.start[group] = static_cast<std::int64_t>(entries.size());
    return made;
}

template <class Index>
bool ascends(const Index* indices, std::int64_t size) {
    bool is_ascending = true;
    for (std::int64_t i = 1; i < size && is_ascending; ++i) is_ascending = indices[i - 1] < indices[i];
    return is_ascending;
}

template <class T>
runtime::PooledArray<T> copied(const std::int64_t* indices, std::int64_t size) {
    runtime::PooledArray<T> made(size);
    std::copy_n(indices, size, made.data());
    return made;
}

}  // namespace

IndexList::IndexList(std::in_place_t, std::int64_t size, std::int64_t bound)
    : size_(size), bound_(bound), narrow_storage_(bound <= limits::narrow_index) {}

IndexList::IndexList(const std::int64_t* indices, std::int64_t size, std::int64_t bound)
    : IndexList(std::in_place, size, bound) {
    coalesced_ = ascends(indices, size);
    if (narrow_storage_)
        narrow_ = copied<std::int32_t>(indices, size);
    else
        wide_ = copied<std::int64_t>(indices, size);
}

std::shared_ptr<const IndexList> IndexList::of_ascending(runtime::PooledArray<std::int64_t> indices,
                                                         std::int64_t bound) {
    std::shared_ptr<IndexList> made(new IndexList(std::in_place, indices.size(), bound));
    if (made->narrow_storage_)
        made->narrow_ = copied<std::int32_t>(indices.data(), indices.size());
    else
        made->wide_ = std::move(indices);
    return made;
}

IndexList::IndexList(std::vector<std::int64_t> indices, std::int64_t bound)
    : IndexList(indices.data(), static_cast<std::int64_t>(indices.size()), bound) {}

void IndexList::find_order() {
    coalesced_ = narrow_storage_ ? ascends(narrow_.data(), size_) : ascends(wide_.data(), size_);
}

std::span<const IndexList::Key> IndexList::keys() const {
    const runtime::NoFork whole;
    std::call_once(sort_once_, [this] { sort(); });
    return keys_;
}

const IndexList& IndexList::unique() const {
    const runtime::NoFork whole;
    std::call_once(coalesce_once_, [this] { coalesce(); });
    return *unique_;
}

const CoalescePlan& IndexList::plan() const {
    unique();
    return plan_;
}

std::int64_t IndexList::bytes() const { return size_ * (narrow_storage_ ? 4 : 8) + structures_.bytes(); }

void IndexList::sort() const {
    keys_.resize(static_cast<std::size_t>(size_));
    for (std::int64_t i = 0; i < size_; ++i)
        keys_[i] = static_cast<Key>(narrow_.data()[i]) << 32 | static_cast<Key>(i);
    if (coalesced_) return;
    if (keys_.size() < short_list)
        std::ranges::sort(keys_);
    else
        radix_sort(std::span(keys_), bound_, [](Key key) { return index_of(key); });
}

void IndexList::coalesce() const {
    Grouped made;
    if (has_keys()) {
        keys();
        made = grouped(std::span<const Key>(keys_), index_of, position_of);
    } else {
        std::vector<IndexedPosition> entries(static_cast<std::size_t>(size_));
        for (std::int64_t i = 0; i < size_; ++i) entries[i] = {.index = (*this)[i], .position = i};
        const auto index = [](const IndexedPosition& entry) { return entry.index; };
        if (entries.size() < short_list)
            std::ranges::stable_sort(entries, {}, &IndexedPosition::index);
        else
            radix_sort(std::span(entries), bound_, index);
        made = grouped(std::span<const IndexedPosition>(entries), index,
                       [](const IndexedPosition& entry) { return entry.position; });
    }
    // Both or neither: a call that runs out of memory is tried again.
    unique_ = std::make_unique<const IndexList>(made.indices.data(), std::ssize(made.indices), bound_);
    plan_ = std::move(made.plan);
}

}  // namespace frisket
