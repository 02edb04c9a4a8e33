// SPDX-License-Identifier: MIT
#include "recorded_loops.hpp"

#include <algorithm>

#include "../../runtime/kernel/kernel_module.hpp"
#include "../loops/graph_module.hpp"
#include "idle_loops.hpp"
#include "sample_tensors.hpp"

namespace frisket::aot {

void LoopRecord::add(const Graph& graph, const codegen::Specialization& form) const {
    const std::lock_guard lock(mutex_);
    if (is_new(codegen::expression_loop_key(graph, form).text()))
        wanted_.expressions.push_back({graph, form});
}

void LoopRecord::add(const Graph& graph, Strategy strategy, const std::vector<bool>& is_single) const {
    const std::lock_guard lock(mutex_);
    if (is_new(codegen::step_key(graph, default_schedule(strategy), is_single).text()))
        wanted_.steps.push_back({graph, default_schedule(strategy), is_single});
}

codegen::LoopCode RecordedLoops::expression_loop(const codegen::ExpressionRequest& request) const {
    record_.add(request.graph, request.form);
    if (request.can_be_interpreted && !request.form.parallel) return {};
    return idle_expression(codegen::abi_of(request.graph, request.numbers, request.form, {}));
}

codegen::LoopCode RecordedLoops::step(const codegen::StepRequest& request) const {
    record_.add(request.graph, request.schedule.strategy, request.is_single);
    return idle_step();
}

namespace {

bool is_large(const Argument& argument) {
    const bool is_dense = argument.kind() == Argument::Kind::tensor;
    if (!is_dense && argument.kind() != Argument::Kind::masked) return false;
    const Shape& shape = is_dense ? argument.tensor().shape() : argument.masked().shape();
    return element_count(shape) > SampleTensors::most_written;
}

/// An elementwise step whose calls change nothing.
class IdleModule final : public codegen::GraphModule {
public:
    using GraphModule::GraphModule;
    void check_layouts(std::span<const Layout>) const override {}
    void compile_variants(std::span<const Strategy>) override {}
    void run(const kernel_calls::Variant&, std::span<const void*>) override {}
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override {
        for (int i = 0; i < tasks; ++i) task(closure, i);
    }
};

}  // namespace

std::optional<CompiledKernel> RecordedLoops::kernel(const Graph& step,
                                                    std::span<const Argument> arguments) const {
    record_.add(step, Strategy::strided, {});
    for (const Strategy strategy :
         kernel_calls::strategies_for(signature_of(step), codegen::kernel_layouts(arguments)))
        record_.add(step, strategy, {});
    if (std::ranges::none_of(arguments, is_large)) return {};  // interpreted
    return CompiledKernel(std::make_shared<IdleModule>(step));
}

}  // namespace frisket::aot
