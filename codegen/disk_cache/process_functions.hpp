// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <span>

#include "object_loader.hpp"

namespace frisket::codegen {

/// All functions of the process that loops on disk may call, by the names that Halide and LLVM call them: so
/// they share the process's threads, its memory and its handler of errors.
std::span<const ProcessFunction> process_functions();

}  // namespace frisket::codegen
