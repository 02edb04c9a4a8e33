// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "../ir/graph.hpp"
#include "../runtime/kernel/argument.hpp"
#include "../runtime/kernel/kernel_module.hpp"

namespace frisket::codegen {

/// Strategies and queries of a call.
struct ObservedCall {
    std::vector<Strategy> strategies = {};  ///< strategies whose loops run, in the order of their first use
    std::vector<kernel_calls::DispatchQuery> queries = {};  ///< queries of the dispatcher, part by part
    Device device = {};                                     ///< place of the tensors
    int kernels = 0;                                        ///< loops that were run
};

/// Carries out all of a call of a step whose symbols have no shapes but its loops: none is compiled, and
/// nothing is written but, on a device, what brings masks into another layout.  For a kernel without a
/// schedule, of which nothing was tuned.
/// Errors: those of the call.
ObservedCall observed_call(const Graph& step, std::span<const Argument> arguments);

}  // namespace frisket::codegen
