// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/kernel/argument.hpp"

namespace frisket::optim {

/// The sum of the squares of what a tensor or a masked tensor specifies, in float64.
double sum_of_squares(const Argument& gradient);

}  // namespace frisket::optim
