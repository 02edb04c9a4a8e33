// SPDX-License-Identifier: MIT
#pragma once
#include "../tensor/bitmask_ops.hpp"
#include "strategy.hpp"

namespace frisket {

/// Counts of a mask, and where its bits are; of one of which much is specified the counts are those of every
/// eighth block of words, which tell as much.
MaskCounts counts_of(const std::uint64_t* words, std::int64_t word_count, std::vector<WordRange>& ranges);

/// The same of a mask of so many bytes, one an element, by a sample.
MaskCounts counts_of_bytes(const std::uint8_t* bytes, std::int64_t count);

}  // namespace frisket
