// SPDX-License-Identifier: MIT
// Reads indices of 32 and 64 bits.
#pragma once
#include "../limits.hpp"
#include "../support/parallel.hpp"
#include "index_list.hpp"

#include <algorithm>

namespace frisket::runtime {

/// Calls body(pointer) with the first of a list's indices, of 32 or 64 bits.
template <class Body>
decltype(auto) with_indices(const IndexList& list, Body&& body) {
    return list.is_narrow() ? body(list.narrow().data()) : body(list.wide().data());
}

/// Calls body(first, end) for the slices of a plan in parts, side by side, each with about the same number of
/// entries.  It must not throw.
template <class Body>
void parallel_slice_ranges(const CoalescePlan& slices, Body&& body) {
    const auto begin = slices.start.begin(), end = slices.start.end() - 1;
    parallel_ranges(slices.start.back(), limits::task_elements, [&](std::int64_t from, std::int64_t to) {
        const bool is_last = to == slices.start.back();
        const auto first = std::lower_bound(begin, end, from);
        const auto last = is_last ? end : std::lower_bound(begin, end, to);
        if (first < last)
            body(static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - begin));
    });
}

/// Calls body(slice) for each slice of a plan, as parallel_slice_ranges does.
template <class Body>
void parallel_slices(const CoalescePlan& slices, Body&& body) {
    parallel_slice_ranges(slices, [&](std::size_t first, std::size_t end) {
        for (std::size_t slice = first; slice < end; ++slice) body(slice);
    });
}

}  // namespace frisket::runtime
