// SPDX-License-Identifier: MIT
// Returns the device of a target.
#pragma once
#include "../../runtime/tensor/memory.hpp"
#include "../loops/schedule.hpp"

namespace frisket::codegen {

/// The device of a target, or the processor.  Programs that call this are linked with the code that opens
/// devices.
/// Errors: TargetError if the machine has no such device.
Device device_of(const TargetRow& target);

}  // namespace frisket::codegen
