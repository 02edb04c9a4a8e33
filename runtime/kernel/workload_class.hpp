// SPDX-License-Identifier: MIT
// Groups calls for which one schedule is the fastest.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "../tensor/masked_tensor.hpp"

namespace frisket {

namespace kernel_calls {
struct DispatchQuery;
}

/// Similar calls, for which one schedule is the best: the key by which tuning results are found again.
struct WorkloadClass {
    Layout layout = Layout::dense;  ///< as loops walk it
    int elements = 0;               ///< log2 of their number, rounded
    int row_length = 0;             ///< log2 of it, rounded
    /// 2 log2 of the specified share of the elements (layout rows: of the rows), rounded; 0: all; or one of
    /// the two constants below
    int density = 0;
    int lines = 0;  ///< 2 log2 of the share of lines with a specified element, rounded; lists: 0
    bool operator==(const WorkloadClass&) const = default;
};

/// No share at all.
inline constexpr int nothing_specified = -99;
/// A share of each mask of several.
inline constexpr int several_masks = 99;
/// Calls of at most this number of elements choose without a look at their mask, unless there are records of
/// them.
inline constexpr std::int64_t small_call = 16384;
/// True if calls of this class may have a tuning record though their masks are not counted.
bool is_small(const WorkloadClass& call);

/// The class of a call.
WorkloadClass class_of(const kernel_calls::DispatchQuery& query);

/// Distance of two classes; nothing if the best schedule of one tells nothing about the other.
std::optional<int> distance(const WorkloadClass& a, const WorkloadClass& b);

/// The entry whose `call` is the class nearest to `call`, the first one of several; null if no entry applies.
template <class Entry>
const Entry* nearest(std::span<const Entry> entries, const WorkloadClass& call) {
    const Entry* found = nullptr;
    std::optional<int> least;
    for (const Entry& entry : entries) {
        const std::optional<int> apart = distance(entry.call, call);
        if (!apart || (least && *least <= *apart)) continue;
        least = apart;
        found = &entry;
    }
    return found;
}

/// "bitmask, 2^24 elements, rows of 2^12, 1 % specified, in 15 % of the lines"
std::string to_string(const WorkloadClass& call);

}  // namespace frisket
