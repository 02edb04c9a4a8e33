// SPDX-License-Identifier: MIT
#pragma once
#include "../bits.hpp"
#include "strategy.hpp"

namespace frisket {

/// Counts of a mask, and where its bits are; of one of which much is specified the counts are those of every
/// eighth block of words, which tell as much.
MaskCounts counts_of(const std::uint64_t* words, std::int64_t word_count, std::vector<WordRange>& ranges);

}  // namespace frisket
