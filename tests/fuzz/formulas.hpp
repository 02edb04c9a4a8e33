// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// Reductions that are built of other reductions, and integers with a number, in an expression: the
/// interpreter must return the results of their definitions, computed here element by element, and refuse
/// numbers that a dtype cannot hold and extremes of no elements.  Empty: so it does.
std::string formula_fault(const Program& program);

/// A step with values that skip it must change nothing if an element of one is not finite, else it must
/// change the same as without them.  Empty: so it did.
std::string skip_fault(const Program& program, const Outcome& outcome);

}  // namespace fuzz
