// SPDX-License-Identifier: MIT
// Imports the conversion of numbers to indices of containers from the runtime.
#pragma once
#include "../runtime/support/at.hpp"

namespace frisket::ir {

using runtime::at;

}  // namespace frisket::ir
