// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/support/at.hpp"

namespace frisket::ir {

using runtime::at;

}  // namespace frisket::ir
