// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "../lowering/kernel_builder.hpp"

namespace frisket {

/// How a loop over flat tiles of 64 elements meets the mask.
enum class FlatMask { none, blend, skip, predicate, bytes };

/// A loop over tiles of 64 elements, one word of a bit mask each.
LoopNest make_flat(const KernelRequest& task, FlatMask mask);

}  // namespace frisket
