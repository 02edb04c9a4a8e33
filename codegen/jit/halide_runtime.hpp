// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string>

namespace frisket::codegen {

/// Writes an object file with Halide's runtime for the host's processors: what loops that are linked to a
/// program call, and the threads that they share.
void write_halide_runtime(const std::string& file);

}  // namespace frisket::codegen
