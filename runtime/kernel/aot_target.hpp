// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace frisket::kernel_calls {

/// A target that loops were compiled for ahead of time.
struct TargetFeatures {
    std::string_view name;                    ///< as given to frisket_add_kernels
    std::span<const std::uint64_t> features;  ///< bits of Halide's features that the processor must have
};

/// The target whose loops this process runs: the first that the processor can run, or the one that
/// $FRISKET_TARGET names, if it is among them.
/// Errors: TargetError, which names the kernel `who`, if none fits.
std::size_t best_target(std::string_view who, std::span<const TargetFeatures> targets,
                        int (*can_use_target_features)(int count, const std::uint64_t* features));

}  // namespace frisket::kernel_calls
