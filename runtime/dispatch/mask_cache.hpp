// SPDX-License-Identifier: MIT
// Caches statistics, strategies and lists of masks.
#pragma once
#include <cstdint>
#include <vector>

#include "../kernel/kernel_module.hpp"
#include "../tensor/masked_tensor.hpp"

namespace frisket::kernel_calls {

/// Statistics, strategy and list of a bit mask, stored for the calls that reuse the mask.
struct MaskCache {
    MaskCounts counts;
    Strategy strategy = Strategy::skip;
    std::vector<std::int32_t> list;  ///< positions for gather, lines for lines

    /// A read-only bit mask over values without gaps, with its pattern for these loops.
    static AnyMasked bitmask(const AnyMasked& masked, KernelModule& loops);
};

/// A masked tensor with the elements and the shared values of `masked`, whose mask carries a MaskCache where
/// these loops can use one; see CompiledKernel::prepare.
AnyMasked prepared(const AnyMasked& masked, KernelModule& loops);

}  // namespace frisket::kernel_calls
