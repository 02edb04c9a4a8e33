// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// The smallest program found of which `fails` still holds: fewer instructions, results and inputs, smaller
/// shapes, plainer values, masks, layouts and strides.
/// Cost: at most `tries` calls.
Program minimised(Program program, const std::function<bool(const Program&)>& fails, int tries);

}  // namespace fuzz
