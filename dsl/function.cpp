// SPDX-License-Identifier: MIT
#include "function.hpp"

#include "../ir/planner/shaped_step.hpp"

namespace frisket {

std::vector<Result> detail::call_function(planning::ShapedFunction& function,
                                          std::span<const Argument> arguments) {
    return function.call(arguments);
}

}  // namespace frisket
