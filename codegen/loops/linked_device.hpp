// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <memory>

#include "../../runtime/kernel/aot_tables.hpp"
#include "loop_code.hpp"

/// Devices that a Halide runtime drives which is linked into the program.
namespace frisket::codegen {

/// True if a device is driven by these functions: the loops that are linked with them run there.
bool is_driven_by(const Device& device, const aot::LinkedDevice& functions);

/// Loops of a device that are linked into the program, which start so many kernels.
std::shared_ptr<const LoopFunction> device_function(const aot::PlannedLoop& loop);

}  // namespace frisket::codegen
