// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/scalar_program.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/tensor/error.hpp"

namespace frisket::codegen {

/// The layouts of the arguments of Masked parameters, as loops walk them.
inline std::vector<Layout> kernel_layouts(const Signature& signature, std::span<const Argument> arguments) {
    std::vector<Layout> layouts;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (signature.parameters[i].kind == SymbolKind::masked)
            layouts.push_back(runtime::kernel_layout(arguments[i].layout()));
    return layouts;
}

/// The step, which only its loops carry out.  Errors: ValueError if something may skip it.
inline Graph elementwise(Graph step) {
    if (step.skips.empty()) return step;
    throw ValueError(
        step.name + ": skip_nonfinite(x) is no loop of an elementwise step: compile the step, jit(step), not "
                    "its graph");
}

/// The facts about a module of an elementwise step with its host scalars.
inline kernel_calls::ModuleFacts step_facts(const Signature& signature, ir::ScalarProgram host,
                                            const Device& device = {}) {
    const auto program = std::make_shared<const ir::ScalarProgram>(std::move(host));
    kernel_calls::ModuleFacts facts{.signature = signature,
                                    .abis = kernel_calls::LoopAbis(signature, program->dtypes()),
                                    .number_count = program->size(),
                                    .device = device};
    facts.evaluate = [program](std::span<const Argument> arguments, double* numbers) {
        program->evaluate(arguments, numbers);
    };
    if (program->has_states())
        facts.store_states = [program](std::span<const Argument> arguments, const double* numbers) {
            program->store_states(arguments, numbers);
        };
    return facts;
}
inline kernel_calls::ModuleFacts step_facts(const Graph& step, const Device& device = {}) {
    return step_facts(signature_of(step), ir::ScalarProgram::of(step), device);
}

}  // namespace frisket::codegen
