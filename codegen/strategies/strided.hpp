// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "strategies.hpp"

namespace frisket::codegen {

/// The loops of the schedule's strategy over four dimensions of any strides, on a device: a thread for each
/// element.
BuiltLoops make_strided_threads(const LoopRequest& request, const Halide::Target& machine);

}  // namespace frisket::codegen
