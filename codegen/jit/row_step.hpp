// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <span>

#include "../../ir/planner/rules/row_blocks.hpp"
#include "../../runtime/kernel/argument.hpp"
#include "../../runtime/kernel/ready.hpp"
#include "../strategies/schedule.hpp"

namespace frisket {

class RowLoops;

/// A step over the rows that its masked arguments list: part of them after part, each part by several threads
/// at once with others; what it computes on the way is as large as a part.
class RowStep {
public:
    RowStep(RowPlan plan, const TargetName& target);

    /// The call; null if the masked arguments are no lists of the same rows, or dense ones have rows with
    /// gaps.  It refers to what the arguments refer to, and to this.
    /// Shape: as the plan's; the call has been checked.
    std::unique_ptr<Ready> ready(std::span<const Argument> arguments) const;

private:
    RowPlan plan_;
    std::shared_ptr<RowLoops> loops_;
};

}  // namespace frisket
