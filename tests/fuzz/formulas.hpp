// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// Reductions that are built of others, in an expression: the interpreter must give of them what their
/// definitions say, computed here element by element.  Empty: so it does.
std::string formula_fault(const Program& program);

}  // namespace fuzz
