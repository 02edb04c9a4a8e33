// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "strategies.hpp"

namespace frisket::codegen {

/// The loops of a strategy over four dimensions of any strides, on a device: a thread for each element.
LoopNest make_strided_threads(const KernelRequest& task, Strategy strategy);

}  // namespace frisket::codegen
