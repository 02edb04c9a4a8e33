// SPDX-License-Identifier: MIT
// Performs a call of a step without its loops, and records its event for reports.
#pragma once
#include <span>

#include "../ir/planner/run_events.hpp"
#include "../runtime/kernel/argument.hpp"

namespace frisket::codegen {

/// Performs a call of a step whose symbols have no shapes, without its loops.  No loop is compiled.  Nothing
/// is written except, on a device, masks that are converted to another layout.  For a kernel without a
/// schedule and without tuning results.
/// Errors: as the call.
planning::PassEvent observed_call(const Graph& step, std::span<const Argument> arguments);

}  // namespace frisket::codegen
