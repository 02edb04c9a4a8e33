// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <string>
#include <vector>

namespace frisket::codegen {

/// Lets the innermost loops of these Funcs fetch the elements that they read of arguments 4 KiB before they
/// need them.  Halide's own prefetches are spaced as for elements of one byte, and end with the row.
void prefetch_arguments(Halide::Pipeline& pipeline, std::vector<std::string> funcs);

}  // namespace frisket::codegen
