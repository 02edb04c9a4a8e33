// SPDX-License-Identifier: MIT
#include "kernel.hpp"

#include "../ir/planner/shaped_step.hpp"

namespace frisket {

void detail::call_shaped(planning::ShapedStep& step, std::span<const Argument> arguments) {
    step.call(arguments);
}

}  // namespace frisket
