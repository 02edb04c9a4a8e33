// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "../../runtime/dispatch/strategy.hpp"

namespace frisket {

/// Runs a loop whose kernels live on a device: arguments go in, what was written comes back, device
/// memory is freed. `is_buffer` tells for each argument whether it is a buffer; those past its end are
/// outputs.  Gives Halide's code.
int run_on_device(Strategy strategy, std::span<const void*> argv, const std::vector<bool>& is_buffer,
                  Halide::JITUserContext* context, const std::function<int()>& call);

}  // namespace frisket
