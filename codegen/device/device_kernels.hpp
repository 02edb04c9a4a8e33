// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include "../../runtime/device/device_kernels.hpp"
#include "../loops/built_loops.hpp"

namespace frisket::codegen {

/// The loops of a kernel of lists, for elements of a dtype that compiled_dtype() returns, on a device.
BuiltLoops build_device_kernel(runtime::DeviceKernel kernel, DType dtype, const Halide::Target& machine);

}  // namespace frisket::codegen
