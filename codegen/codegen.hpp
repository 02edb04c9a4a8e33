// SPDX-License-Identifier: MIT
// Collects the headers of the compiler: jit, eval, explain, schedules and targets.
#pragma once
#include "../dsl/dsl.hpp"
#include "../dsl/tensor_ops/gradients.hpp"
#include "../ir/interpreter/interpret.hpp"
#include "../runtime/runtime.hpp"
#include "eval.hpp"
#include "explain.hpp"
#include "jit/jit.hpp"
#include "loops/schedule.hpp"

namespace frisket::codegen {

/// Internal: links it into every program that includes this header, also one that compiles nothing.
[[gnu::used]] inline const bool* const links_devices = &opens_devices;

}  // namespace frisket::codegen
