// SPDX-License-Identifier: MIT
// Counts the specified elements, words and lines of masks.
#pragma once
#include "../kernel/strategy.hpp"
#include "../tensor/bitmask_ops.hpp"

namespace frisket::kernel_calls {

/// Counts of a mask, and where its bits are.  Counts of a mask with many specified elements are taken from
/// every eighth block of words, a sample that suffices.
MaskCounts counts_of(const std::uint64_t* words, std::int64_t word_count,
                     std::vector<runtime::WordRange>& ranges);

/// Counts of a mask stored as `count` bytes, one an element, from a sample.
MaskCounts counts_of_bytes(const std::uint8_t* bytes, std::int64_t count);

}  // namespace frisket::kernel_calls
