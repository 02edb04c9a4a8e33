// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// Runs a step compiled: by stages, or as the kernel that it is.
void run_compiled(const Graph& graph, std::span<const Argument> arguments, const Program& program);

/// A step whose target is also another argument is refused, and changes nothing; empty: so it is.
std::string overlap_fault(const Program& program);

/// Calls of one kernel that are made together write the same as single calls; empty: so they do.
std::string calls_fault(std::span<const Program> calls);

/// Numbers that a step writes back are the results of arithmetic; empty: so they are.
std::string state_fault(const Program& program, const Outcome& outcome);

}  // namespace fuzz
