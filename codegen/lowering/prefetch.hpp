// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <string>
#include <vector>

namespace frisket::codegen {

/// Lets the innermost loops of these Funcs fetch what they read of arguments 4 KiB before they need it.
/// Halide's own prefetches stand as far apart as elements of one byte would, and end with the row.
void prefetch_arguments(Halide::Pipeline& pipeline, std::vector<std::string> funcs);

}  // namespace frisket::codegen
