// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// A program as a C++ source that builds it, runs it both ways and prints the results.
std::string cpp_of(const Program& program);

/// Inputs by their layouts and shapes, and the calls.
std::string calls_of(const Program& program);

}  // namespace fuzz
