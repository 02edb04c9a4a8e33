// SPDX-License-Identifier: MIT
#include "index_list.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace frisket {

namespace {

constexpr std::int64_t narrow_limit = std::int64_t{1} << 31;
constexpr std::int64_t short_list = 1024;  // below, comparing is faster than counting digits

struct Entry { std::int64_t index, position; };

/// Sorts by index, equal ones as they are, in passes over 11 bits each.
void radix_sort(std::vector<Entry>& entries, std::int64_t bound) {
    constexpr int digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bound)));
    std::vector<Entry> other(entries.size());
    for (int shift = 0; shift < bits; shift += digit_bits) {
        const auto digit = [shift](const Entry& entry) {
            return static_cast<std::size_t>(entry.index >> shift) & (digits - 1);
        };
        std::array<std::size_t, digits> next{};
        for (const Entry& entry : entries) ++next[digit(entry)];
        std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
        for (const Entry& entry : entries) other[next[digit(entry)]++] = entry;
        entries.swap(other);
    }
}

}  // namespace

IndexList::IndexList(std::vector<std::int64_t> indices, std::int64_t bound)
    : size_(static_cast<std::int64_t>(indices.size())),
      bound_(bound),
      narrow_storage_(bound <= narrow_limit) {
    for (std::int64_t i = 1; i < size_ && coalesced_; ++i) coalesced_ = indices[i - 1] < indices[i];
    if (narrow_storage_)
        narrow_.assign(indices.begin(), indices.end());
    else
        wide_ = std::move(indices);
}

const IndexList& IndexList::unique() const {
    std::call_once(once_, [this] { coalesce(); });
    return *unique_;
}

const CoalescePlan& IndexList::plan() const {
    unique();
    return plan_;
}

void IndexList::coalesce() const {
    std::vector<Entry> entries(static_cast<std::size_t>(size_));
    for (std::int64_t i = 0; i < size_; ++i) entries[i] = {.index = (*this)[i], .position = i};
    if (size_ < short_list)
        std::ranges::stable_sort(entries, {}, &Entry::index);
    else
        radix_sort(entries, bound_);
    std::vector<std::int64_t> indices;
    plan_.order.reserve(entries.size());
    for (const Entry& entry : entries) {
        if (indices.empty() || indices.back() != entry.index) {
            plan_.start.push_back(static_cast<std::int64_t>(plan_.order.size()));
            indices.push_back(entry.index);
        }
        plan_.order.push_back(entry.position);
    }
    plan_.start.push_back(size_);
    unique_ = std::make_unique<const IndexList>(std::move(indices), bound_);
}

}  // namespace frisket
