// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <string>

namespace frisket::aot {

/// A module whose constants have names that begin with `base`.  The sources of a device's kernels, and the
/// runtime's data for them, have one name in all modules: the linker would take the last module's for all.
Halide::Module with_own_buffers(const Halide::Module& module, const std::string& base);

}  // namespace frisket::aot
