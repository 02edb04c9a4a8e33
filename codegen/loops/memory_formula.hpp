// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace frisket::codegen {

/// Allocations of loops, the loops in which they are made and freed, and their sizes: instructions as numbers
/// that are stored with the code.
using MemoryFormula = std::vector<std::int64_t>;

/// Instructions of formulas.
namespace memory_formula {

/// Instructions of expressions take their operands from a stack and put a value there; numbers that
/// follow one are named here.
enum class Code : std::int64_t {
    push,      ///< a number
    size,      ///< number of a size of the call
    extent,    ///< number of a parameter, and its dimension
    variable,  ///< number of a variable
    add,
    subtract,
    multiply,
    divide,
    modulo,
    least,
    most,
    choose,
    less,
    less_or_equal,
    equal,
    both,
    either,
    opposite,
    set,       ///< number of a variable, which takes a value
    loop,      ///< number of a variable, LoopForm, number of numbers of the body; takes first value and count
    allocate,  ///< number of an allocation; takes its bytes
    free,      ///< number of an allocation
};

/// Threads that are inside of a loop at once.
enum class LoopForm : std::int64_t {
    serial,
    parallel,
    parallel_twice,  ///< with parallel loops in it: who waits for those may begin another task of this one
};

}  // namespace memory_formula

/// Numbers of a call that the memory of its loops depends on.
struct MemoryCall {
    std::span<const std::int32_t> sizes;
    std::function<std::int64_t(int parameter, int dim)> extent;  ///< extents of arrays, innermost first
    std::int64_t threads = 1;
};

/// The most bytes that loops hold at once while they run; nothing if they do not say it.
/// Cost: some microseconds; loops of tasks are walked in part.
std::optional<std::int64_t> evaluated(std::span<const std::int64_t> formula, const MemoryCall& call);

}  // namespace frisket::codegen
