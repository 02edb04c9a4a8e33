// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/scalar_program.hpp"
#include "../disk_cache/compiled_loops.hpp"
#include "../loops/specialization.hpp"
#include "loop_memory.hpp"

namespace frisket::codegen {

/// The loops of an expression: every result, and what its checks look at, from one pipeline.  Extents are
/// parameters, so that one nest serves all shapes of the same ranks in which the same extents are 1.
struct Nest {
    Halide::Pipeline pipeline;
    std::vector<Halide::Argument> arguments;  ///< in the order of abi_of()
    KernelMetadata notes;
    std::shared_ptr<const MemoryFormula> memory = {};  ///< null on a device
    std::shared_ptr<const int> kernels = {};           ///< number of them, on a device
};

/// Shape: `graph` has shapes, of which only whether an extent is 1 is looked at.
/// Device: a `machine` that has one runs all loops on it; their bits are those of the host.
Nest make_nest(const Graph& graph, const ir::ScalarProgram& numbers, const Specialization& form,
               const Halide::Target& machine = {});
/// A nest as loop_code takes it.
inline BuiltLoops built(Nest nest) {
    return {std::move(nest.pipeline), std::move(nest.arguments), nest.notes.numbers(), std::move(nest.memory),
            std::move(nest.kernels)};
}

}  // namespace frisket::codegen
