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

/// Module of an elementwise step that is a graph: its parameters, and the numbers of the host.
class GraphModule : public kernel_calls::KernelModule {
public:
    /// Errors: ValueError if the step has a skip_nonfinite statement.
    explicit GraphModule(Graph graph, const Device& device = {})
        : KernelModule(device),
          graph_(elementwise(std::move(graph))),
          signature_(signature_of(graph_)),
          numbers_(ir::ScalarProgram::of(graph_)),
          abis_(signature_, numbers_.dtypes()) {}

    const Graph& graph() const noexcept { return graph_; }
    const ir::ScalarProgram& numbers() const noexcept { return numbers_; }
    const Signature& signature() const noexcept final { return signature_; }
    const kernel_calls::LoopAbi& abi(Strategy strategy) const noexcept final { return abis_[strategy]; }
    std::size_t number_count() const noexcept final { return numbers_.size(); }
    void evaluate(std::span<const Argument> arguments, double* numbers) const final {
        numbers_.evaluate(arguments, numbers);
    }
    void store_states(std::span<const Argument> arguments, const double* numbers) const final {
        if (numbers_.has_states()) numbers_.store_states(arguments, numbers);
    }

private:
    const Graph graph_;
    const Signature signature_;
    const ir::ScalarProgram numbers_;
    const kernel_calls::LoopAbis abis_;
};

}  // namespace frisket::codegen
