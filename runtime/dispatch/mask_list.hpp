// SPDX-License-Identifier: MIT
// Makes lists of positions from bits of masks.
#pragma once
#include <span>
#include <vector>

#include "../kernel/strategy.hpp"
#include "../tensor/bitmask_ops.hpp"

namespace frisket::kernel_calls {

/// The bits of a mask of the given number of elements, and the range that has any.
struct MaskBits {
    const std::uint64_t* words;
    std::int64_t count;
    std::span<const runtime::WordRange> ranges;
};

/// True if a strategy walks a list that is computed from bits.
bool walks_list(Strategy strategy);
/// The list that such a strategy walks, in `room`: for gather, positions; for lines, lines of whole words;
/// for segments, the beginning of each and its number of elements.
std::span<const std::int32_t> list_of(Strategy strategy, const MaskBits& mask,
                                      std::vector<std::int32_t>& room);

}  // namespace frisket::kernel_calls
