// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace frisket {

/// The processor of this machine: its name as the system says it, and the instruction set that Halide found.
std::string machine_name();

/// "0.1.0": frisket's.
std::string frisket_version();
/// "21.0.0": Halide's.
std::string halide_version();
/// What compiled loops come from: both.
std::string build_name();

}  // namespace frisket
