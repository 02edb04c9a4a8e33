// SPDX-License-Identifier: MIT
// Sorts entries whose positions come in any order.
#pragma once
#include <algorithm>
#include <cstring>
#include <numeric>

#include "../tensor/bitmask_ops.hpp"
#include "../tensor/elements.hpp"
#include "layout_traits.hpp"

namespace frisket::runtime {

/// Entries from positions in any order, each once, and the offsets of their values in `values` (contiguous).
Entries sorted_entries(std::vector<std::int64_t> positions, std::vector<std::int64_t> offsets,
                       const AnyTensor& values, std::int64_t size);

/// Functions of a row of the table of layouts, for a layout whose specified entries can be walked:
/// Walk::each(masked, body) calls body(position, offset into the values) for each of them, once, the entries
/// of a row from left to right.  Shape: a matrix.
template <class Walk>
struct Scattered {
    static void bits(const AnyMasked& masked, std::uint64_t* words) {
        std::fill_n(words, words_for(masked.size()), 0);
        Walk::each(masked, [&](std::int64_t position, std::int64_t) {
            words[position / 64] |= std::uint64_t{1} << (position % 64);
        });
    }
    static void bytes(const AnyMasked& masked, std::uint8_t* mask) {
        std::fill_n(mask, masked.size(), 0);
        Walk::each(masked, [&](std::int64_t position, std::int64_t) { mask[position] = 1; });
    }
    static std::int64_t count(const AnyMasked& masked) {
        std::int64_t found = 0;
        Walk::each(masked, [&](std::int64_t, std::int64_t) { ++found; });
        return found;
    }
    static AnyTensor filled(const AnyMasked& masked, const void* fill) {
        AnyTensor result = filled_with(masked.dtype(), masked.shape(), fill);
        dispatch_width(masked.dtype(), [&]<class U>() {
            const Reader<U> from(masked.values().data());
            U* to = static_cast<U*>(result.data());
            Walk::each(masked,
                       [&](std::int64_t position, std::int64_t offset) { to[position] = from[offset]; });
        });
        return result;
    }
    static Entries entries(const AnyMasked& masked) {
        const std::int64_t rows = masked.shape()[0], stored = masked.values().size();
        return rows <= 4 * stored ? by_row(masked) : sorted(masked);
    }
    /// Counts how many each row has, then puts them there.
    static Entries by_row(const AnyMasked& masked) {
        const std::int64_t columns = std::max<std::int64_t>(masked.shape()[1], 1);
        std::vector<std::int64_t> next(static_cast<std::size_t>(masked.shape()[0]) + 1);
        Walk::each(masked, [&](std::int64_t position, std::int64_t) { ++next[position / columns + 1]; });
        std::partial_sum(next.begin(), next.end(), next.begin());
        Entries entries{.positions = std::vector<std::int64_t>(static_cast<std::size_t>(next.back())),
                        .values = AnyTensor(masked.dtype(), {next.back()})};
        dispatch_width(masked.dtype(), [&]<class U>() {
            const Reader<U> from(masked.values().data());
            U* to = static_cast<U*>(entries.values.data());
            Walk::each(masked, [&](std::int64_t position, std::int64_t offset) {
                const std::int64_t at = next[position / columns]++;
                entries.positions[at] = position;
                to[at] = from[offset];
            });
        });
        return entries;
    }
    /// Entries by sorting: for few elements in many rows.
    static Entries sorted(const AnyMasked& masked) {
        std::vector<std::int64_t> positions, offsets;
        Walk::each(masked, [&](std::int64_t position, std::int64_t offset) {
            positions.push_back(position);
            offsets.push_back(offset);
        });
        return sorted_entries(std::move(positions), std::move(offsets), masked.values(), masked.size());
    }
    static constexpr LayoutTraits row(Layout layout, std::string_view name, MaskForm mask,
                                      AnyMasked (*from)(const AnyMasked&)) {
        return {.layout = layout,
                .name = name,
                .mask = mask,
                .bits = bits,
                .bytes = bytes,
                .count = count,
                .dense_values = values_over_zeros,
                .filled = filled,
                .entries = entries,
                .from = from};
    }
};

}  // namespace frisket::runtime
