// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../../runtime/kernel/argument.hpp"
#include "../../runtime/kernel/signature.hpp"
#include "recorded_loops.hpp"
#include "shape_forms.hpp"

namespace frisket::aot {

/// A step or a function as it is compiled: what a call of it does with the loops of a provider.
using RunSample = std::function<void(std::span<const Argument>, const codegen::LoopProvider&)>;

/// Shapes and layouts for which loops are compiled.
struct SampledCalls {
    std::span<const Parameter> parameters;
    std::vector<ShapeForm> forms;
    std::vector<std::vector<Layout>> layouts;  ///< layouts of the Masked parameters; empty: there are none
};

/// Calls of a kind that were tried.
struct Tried {
    bool has_run = false;
    std::exception_ptr error = {};  ///< the last
};
/// Makes calls with sample values in these layouts, of several densities.
Tried try_calls(std::span<const Parameter> parameters, std::span<const Shape> shapes,
                std::span<const std::vector<Layout>> layouts, const RunSample& run,
                const RecordedLoops& loops);

/// The loops that calls of these shapes and layouts ask for.
/// Errors: the last of a sample's, if none of a form's can be run; forms that were not asked for by name are
/// left out then, unless all are.
WantedLoops wanted_loops(const SampledCalls& calls, bool are_usual_forms, const RunSample& run);

}  // namespace frisket::aot
