// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <span>

#include "../../runtime/kernel/loop_abi.hpp"
#include "../loops/loop_code.hpp"

namespace frisket::codegen {

/// Runs a loop whose kernels live on a device: arguments go in, what was written comes back, device
/// memory is freed.  Gives Halide's code.
/// Shape: the loops are DeviceLoops.
int run_on_device(const kernel::LoopAbi& abi, std::span<const void*> argv, const LoopCode& loops,
                  LoopContext& context);

}  // namespace frisket::codegen
