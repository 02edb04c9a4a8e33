// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <memory>
#include <vector>

#include "../../runtime/kernel/loop_abi.hpp"
#include "../loops/memory_formula.hpp"

namespace frisket::codegen {

/// Has the formula of a pipeline's loops found when they are lowered.  Its target is empty before that, and
/// if the sizes of the loops' memory are unknown.
/// Shape: `arguments` are the arguments of `abi`, after one that is none of its parameters.
std::shared_ptr<const MemoryFormula> find_memory(Halide::Pipeline& pipeline,
                                                 const std::vector<Halide::Argument>& arguments,
                                                 const kernel_calls::LoopAbi& abi);

}  // namespace frisket::codegen
