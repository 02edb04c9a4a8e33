// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// Reductions that are built of others, and whole numbers with a number, in an expression: the interpreter
/// must give of them what their definitions say, computed here element by element, and refuse numbers that a
/// dtype cannot hold and extremes of no elements.  Empty: so it does.
std::string formula_fault(const Program& program);

/// A step with values that skip it must change nothing if an element of one is not finite, else what it
/// changes without them.  Empty: so it did.
std::string skip_fault(const Program& program, const Outcome& outcome);

}  // namespace fuzz
