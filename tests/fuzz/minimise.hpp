// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// The smallest program found of which `fails` still holds: fewer instructions, results and inputs, smaller
/// shapes, plainer values, masks, layouts and strides.
/// Cost: at most `tries` calls.
Program minimised(Program program, const std::function<bool(const Program&)>& fails, int tries);

/// The program without the instruction of one number: its operand replaces it. Values that nothing reads any
/// more go as well.
Program without_instruction(const Program& program, int i, int instead);
/// The program with one of its values as its only result.
Program with_result(Program program, int value);

}  // namespace fuzz
