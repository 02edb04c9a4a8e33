// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "../masked_tensor.hpp"
#include "loop_source.hpp"

namespace frisket {

/// What calls find of a bit mask, found once.
struct MaskPattern {
    MaskCounts counts;
    Strategy strategy = Strategy::skip;
    std::vector<std::int32_t> list;  ///< positions for gather, lines for lines

    /// A read-only bit mask over values without gaps, with its pattern for these loops.
    static AnyMasked bitmask(const AnyMasked& masked, const LoopSource& loops);
};

/// The same masked tensor, its values shared, with what calls find of it: as CompiledKernel::prepare.
AnyMasked prepared(const AnyMasked& masked, const LoopSource& loops);

}  // namespace frisket
