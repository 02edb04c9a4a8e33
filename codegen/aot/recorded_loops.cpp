// SPDX-License-Identifier: MIT
#include "recorded_loops.hpp"

#include "../../runtime/kernel/kernel_module.hpp"
#include "../loops/graph_module.hpp"

namespace frisket::aot {

void LoopRecord::add(const Graph& graph, const codegen::Specialization& form) const {
    const std::lock_guard lock(mutex_);
    if (is_new(codegen::nest_key(graph, form).text())) wanted_.nests.push_back({graph, form});
}

void LoopRecord::add(const Graph& graph, Strategy strategy, const std::vector<bool>& is_single) const {
    const std::lock_guard lock(mutex_);
    if (is_new(codegen::step_key(graph, default_schedule(strategy), is_single).text()))
        wanted_.steps.push_back({graph, default_schedule(strategy), is_single});
}

codegen::LoopCode RecordedLoops::nest(const codegen::NestRequest& request) const {
    record_.add(request.graph, request.form);
    codegen::NestRequest trial = request;
    trial.is_kept = false;
    return compiler_.nest(trial);
}

codegen::LoopCode RecordedLoops::step(const codegen::StepRequest& request) const {
    record_.add(request.graph, request.schedule.strategy, request.is_single);
    codegen::StepRequest trial = request;
    trial.is_kept = false;
    return compiler_.step(trial);
}

std::optional<CompiledKernel> RecordedLoops::kernel(const Graph& step,
                                                    std::span<const Argument> arguments) const {
    record_.add(step, Strategy::strided, {});
    for (const Strategy strategy :
         kernel::strategies_for(signature_of(step), codegen::kernel_layouts(arguments)))
        record_.add(step, strategy, {});
    return compiler_.kernel(step, arguments);
}

}  // namespace frisket::aot
