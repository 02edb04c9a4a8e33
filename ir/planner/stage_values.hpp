// SPDX-License-Identifier: MIT
// Finds the values that stages read and write, and the stage after which each value is released.
#pragma once
#include <span>
#include <vector>

#include "plan.hpp"

namespace frisket::planning {

/// Values that a stage reads: each may be named more than once.
std::vector<ValueId> values_read(const StageAction& stage);
/// Values that a stage makes.
std::vector<ValueId> values_made(const StageAction& stage);

/// Adds the formats of the values that the stages of a plan make for later stages: lists of list kernels,
/// else tensors.  `formats`: formats by the values' numbers.
void add_formats(std::vector<Format>& formats, const Plan& plan);

/// For each stage of a plan, the values that are given up when it has run: nothing reads them any more.
/// Values that an earlier plan of the call has made are among them if they are operands of this one.
/// `operands`: the planned graph's; `arguments`: number of the call's arguments, which are never given up.
std::vector<std::vector<ValueId>> values_given_up(const Plan& plan, std::span<const ValueId> operands,
                                                  ValueId arguments);

}  // namespace frisket::planning
