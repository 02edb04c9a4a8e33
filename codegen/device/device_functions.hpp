// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once

namespace frisket::codegen {

/// Gives the functions that loops call the names that the compiler of a device knows.
void use_device_functions(Halide::Pipeline& pipeline, const Halide::Target& machine);

}  // namespace frisket::codegen
