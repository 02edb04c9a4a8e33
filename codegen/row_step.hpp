// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <span>

#include "../runtime/argument.hpp"
#include "row_plan.hpp"
#include "targets.hpp"

namespace frisket {

class RowLoops;

/// A step over the rows that its masked arguments list: part of them after part, each part by several threads
/// at once with others; what it computes on the way is as large as a part.
class RowStep {
public:
    RowStep(RowPlan plan, const TargetName& target);

    /// Whether it was run: not if the masked arguments are no lists of the same rows, or dense ones have rows
    /// with gaps.
    /// Shape: as the plan's; the call has been checked.
    bool run(std::span<const Argument> arguments) const;

private:
    RowPlan plan_;
    std::shared_ptr<RowLoops> loops_;
};

}  // namespace frisket
