// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "../../ir/planner/shaped_step.hpp"
#include "../strategies/targets.hpp"

namespace frisket {

/// A step of whole tensors that run_step runs; FRISKET_SHOW=graph shows each graph that is made.
std::shared_ptr<ShapedStep> shaped_step(ShapedStep::Describe describe, const TargetName& target);

}  // namespace frisket
