// SPDX-License-Identifier: MIT
#pragma once
#include "oracle.hpp"

#include <string>

namespace fuzz {

/// Names the device of judge_on_device; the loops of all programs run there.
/// Errors: TargetError if the machine has none of this name.
void use_device(const std::string& name);
/// Compares what the device gives, to which the tensors of a program are moved, with the interpreter.  What
/// it lacks is an error of both.
Comparison judge_on_device(const Program& program);

}  // namespace fuzz
