// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// A program as a C++ source that builds it, runs it both ways and prints the results.
std::string cpp_of(const Program& program);

}  // namespace fuzz
