// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <span>

#include "../../runtime/kernel/loop_abi.hpp"

namespace frisket::codegen {

/// Runs a loop whose kernels live on a device: arguments go in, what was written comes back, device
/// memory is freed.  Gives Halide's code.
int run_on_device(const kernel::LoopAbi& abi, std::span<const void*> argv, Halide::JITUserContext* context,
                  const std::function<int()>& call);

}  // namespace frisket::codegen
