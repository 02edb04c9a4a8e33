// SPDX-License-Identifier: MIT
#pragma once
#include "oracle.hpp"

#include <string>

namespace fuzz {

/// Names the device of judge_on_device; the loops of all programs run there.
/// Errors: TargetError if the machine has none of this name.
void use_device(const std::string& name);
/// Moves the tensors of a program to the device and compares its results with the interpreter's. An operation
/// that the device lacks is an error of both.
Comparison judge_on_device(const Program& program);

}  // namespace fuzz
