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
#include "../loops/loop_provider.hpp"
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
/// Makes calls with sample values in these layouts, of several densities, where the loops run.
Tried try_calls(std::span<const Parameter> parameters, std::span<const Shape> shapes,
                std::span<const std::vector<Layout>> layouts, const RunSample& run,
                const codegen::LoopProvider& loops);

/// Makes calls of these shapes and layouts with the loops of a provider.
/// Errors: the last of a sample's, if none of a form's can be run; forms that were not asked for by name are
/// left out then, unless all are.
void try_forms(const SampledCalls& calls, bool are_usual_forms, const RunSample& run,
               const codegen::LoopProvider& loops);

}  // namespace frisket::aot
