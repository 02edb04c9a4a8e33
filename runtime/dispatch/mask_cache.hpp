// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "../kernel/kernel_module.hpp"
#include "../tensor/masked_tensor.hpp"

namespace frisket {

/// What calls find of a bit mask, found once.
struct MaskCache {
    MaskCounts counts;
    Strategy strategy = Strategy::skip;
    std::vector<std::int32_t> list;  ///< positions for gather, lines for lines

    /// A read-only bit mask over values without gaps, with its pattern for these loops.
    static AnyMasked bitmask(const AnyMasked& masked, const KernelModule& loops);
};

/// The same masked tensor, its values shared, with what calls find of it: as CompiledKernel::prepare.
AnyMasked prepared(const AnyMasked& masked, const KernelModule& loops);

}  // namespace frisket
