// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../../runtime/tensor/memory.hpp"

namespace frisket::aot {

/// A device whose memory is the processor's, and which runs nothing: for calls that are made to see which
/// loops they ask for, on machines that lack the devices which loops are compiled for.
Device sample_device();

}  // namespace frisket::aot
