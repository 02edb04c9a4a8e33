// SPDX-License-Identifier: MIT
// Prepares calls of steps over listed rows, one block of rows at a time.
#pragma once
#include <memory>
#include <span>

#include "../../ir/planner/rules/row_blocks.hpp"
#include "../../runtime/kernel/argument.hpp"
#include "../../runtime/kernel/ready.hpp"

namespace frisket::codegen {

class RowLoops;

/// A call of a step over the rows that its masked arguments list: part of them after part, each part by
/// several threads, several parts at once; its temporaries are as large as a part.  Null if the masked
/// arguments are no lists of the same rows, or rows of dense arguments have gaps.  Refers to the plan, and to
/// the memory of the arguments.
/// Shape: as the plan's; the call has been checked.
kernel_calls::Ready ready_rows(std::shared_ptr<RowLoops> loops, std::span<const Argument> arguments);

}  // namespace frisket::codegen
