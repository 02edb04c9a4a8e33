// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../runtime/kernel/argument.hpp"

namespace frisket::codegen {
class LoopProvider;
}

namespace frisket::optim {

/// The sum of the squares of what a tensor or a masked tensor specifies, in float64.
double sum_of_squares(const Argument& gradient, const codegen::LoopProvider& loops);

}  // namespace frisket::optim
