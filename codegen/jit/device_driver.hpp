// SPDX-License-Identifier: MIT
// Returns the device of a target.
#pragma once
#include "../../runtime/tensor/memory.hpp"
#include "../loops/schedule.hpp"

namespace frisket::codegen {

/// The device of a target, the processor for those that are none.  Programs that ask are linked with what
/// opens devices.
/// Errors: TargetError if the machine has no such device.
Device device_of(const TargetRow& target);

}  // namespace frisket::codegen
