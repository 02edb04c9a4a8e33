// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "../../ir/graph.hpp"
#include "../../ir/scalar_program.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/tensor/error.hpp"

namespace frisket::codegen {

/// The layouts of the Masked arguments, as loops walk them.
inline std::vector<Layout> kernel_layouts(std::span<const Argument> arguments) {
    std::vector<Layout> layouts;
    for (const Argument& argument : arguments)
        if (argument.kind() == Argument::Kind::masked)
            layouts.push_back(runtime::kernel_layout(argument.masked().layout()));
    return layouts;
}

/// The step, which its loops alone carry out.  Errors: ValueError if something may skip it.
inline Graph elementwise(Graph step) {
    if (step.skips.empty()) return step;
    throw ValueError(
        step.name + ": skip_nonfinite(x) is no loop of an elementwise step: compile the step, jit(step), not "
                    "its graph");
}

/// Module of an elementwise step with its numbers of the host.
class StepModule : public kernel_calls::KernelModule {
public:
    StepModule(const Signature& signature, ir::ScalarProgram numbers, const Device& device = {})
        : KernelModule(signature, numbers.dtypes(), numbers.size(), device), numbers_(std::move(numbers)) {}

    const ir::ScalarProgram& numbers() const noexcept { return numbers_; }
    void evaluate(std::span<const Argument> arguments, double* numbers) const final {
        numbers_.evaluate(arguments, numbers);
    }
    void store_states(std::span<const Argument> arguments, const double* numbers) const override {
        if (numbers_.has_states()) numbers_.store_states(arguments, numbers);
    }

private:
    const ir::ScalarProgram numbers_;
};

/// Module of an elementwise step that is a graph.
class GraphModule : public StepModule {
public:
    /// Errors: ValueError if the step has a skip_nonfinite statement.
    explicit GraphModule(Graph graph, const Device& device = {})
        : StepModule(signature_of(graph), ir::ScalarProgram::of(graph), device),
          graph_(elementwise(std::move(graph))) {}
    const Graph& graph() const noexcept { return graph_; }

private:
    const Graph graph_;
};

}  // namespace frisket::codegen
