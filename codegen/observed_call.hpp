// SPDX-License-Identifier: MIT
// Performs a call of a step without its loops, and records its event for reports.
#pragma once
#include <span>

#include "../ir/planner/run_events.hpp"
#include "../runtime/kernel/argument.hpp"

namespace frisket::codegen {

/// Carries out all of a call of a step whose symbols have no shapes but its loops: none is compiled, and
/// nothing is written but, on a device, what brings masks into another layout.  For a kernel without a
/// schedule, of which nothing was tuned.
/// Errors: those of the call.
planning::PassEvent observed_call(const Graph& step, std::span<const Argument> arguments);

}  // namespace frisket::codegen
