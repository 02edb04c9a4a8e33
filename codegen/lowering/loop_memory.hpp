// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../../runtime/kernel/loop_abi.hpp"

namespace frisket::codegen {

/// Allocations of loops, the loops in which they are made and freed, and their sizes: instructions as numbers
/// that are kept with the code.
using MemoryFormula = std::vector<std::int64_t>;

/// Numbers of a call that the memory of its loops depends on.
struct MemoryCall {
    std::span<const std::int32_t> sizes;
    std::function<std::int64_t(int parameter, int dim)> extent;  ///< extents of arrays, innermost first
    std::int64_t threads = 1;
};

/// The most bytes that loops hold at once while they run; nothing if they do not say it.
/// Cost: some microseconds; loops of tasks are walked in part.
std::optional<std::int64_t> evaluated(std::span<const std::int64_t> formula, const MemoryCall& call);

/// Has the formula of a pipeline's loops found when they are lowered.  What it points to is empty before
/// that, and if the loops do not say how much they take.
/// Shape: `arguments` are those of `abi`, after one that is none of its parameters.
std::shared_ptr<const MemoryFormula> find_memory(Halide::Pipeline& pipeline,
                                                 const std::vector<Halide::Argument>& arguments,
                                                 const kernel::LoopAbi& abi);

}  // namespace frisket::codegen
