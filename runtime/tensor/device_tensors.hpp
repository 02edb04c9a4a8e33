// SPDX-License-Identifier: MIT
#pragma once
#include "tensor.hpp"

namespace frisket::runtime {

/// Gives `to` the elements of `from`, one of which is on a device at least.  Shape: equal, with elements.
/// Errors: those of copy().
void copy_of_device(const AnyTensor& from, const AnyTensor& to);

/// A bool of a device.  Lives as long as the process.
const void* bool_on(const Device& device, bool value);

}  // namespace frisket::runtime
