// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/scalar_program.hpp"
#include "../loops/built_loops.hpp"
#include "../loops/specialization.hpp"
#include "loop_memory.hpp"

namespace frisket::codegen {

/// The loops of an expression: every result, and what its checks look at, from one pipeline.  Extents are
/// parameters, so that one loop serves all shapes of the same ranks in which the same extents are 1.
struct ExpressionLoop {
    Halide::Pipeline pipeline;
    std::vector<Halide::Argument> arguments;  ///< in the order of abi_of()
    KernelMetadata notes;
    std::shared_ptr<const MemoryFormula> memory = {};  ///< null on a device
    std::shared_ptr<const int> kernels = {};           ///< number of them, on a device
};

/// Shape: `graph` has shapes, of which only whether an extent is 1 is looked at.
/// Device: a `machine` that has one runs all loops on it; their bits are those of the host.
ExpressionLoop lower_expression(const Graph& graph, const ir::ScalarProgram& numbers,
                                const Specialization& form, const Halide::Target& machine = {});
/// A loop as loop_code takes it.
inline BuiltLoops built(ExpressionLoop loop) {
    return {std::move(loop.pipeline), std::move(loop.arguments), loop.notes.numbers(), std::move(loop.memory),
            std::move(loop.kernels)};
}

}  // namespace frisket::codegen
