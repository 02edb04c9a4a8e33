// SPDX-License-Identifier: MIT
#include "recorded_loops.hpp"

#include "../../runtime/kernel/kernel_module.hpp"
#include "../loops/graph_module.hpp"

namespace frisket::aot {

codegen::LoopCode RecordedLoops::nest(const codegen::NestRequest& request) const {
    {
        const std::lock_guard lock(mutex_);
        if (is_new(codegen::nest_key(request.graph, request.form).text()))
            wanted_.nests.push_back({request.graph, request.form});
    }
    codegen::NestRequest trial = request;
    trial.is_kept = false;
    return compiler_.nest(trial);
}

void RecordedLoops::add(const Graph& graph, Strategy strategy, const std::vector<bool>& is_single) const {
    const std::lock_guard lock(mutex_);
    if (is_new(codegen::step_key(graph, default_schedule(strategy), is_single).text()))
        wanted_.steps.push_back({graph, default_schedule(strategy), is_single});
}

codegen::LoopCode RecordedLoops::step(const codegen::StepRequest& request) const {
    add(request.graph, request.schedule.strategy, request.is_single);
    codegen::StepRequest trial = request;
    trial.is_kept = false;
    return compiler_.step(trial);
}

std::optional<CompiledKernel> RecordedLoops::kernel(const Graph& step,
                                                    std::span<const Argument> arguments) const {
    add(step, Strategy::strided, {});
    for (const Strategy strategy :
         kernel::strategies_for(signature_of(step), codegen::kernel_layouts(arguments)))
        add(step, strategy, {});
    return compiler_.kernel(step, arguments);
}

}  // namespace frisket::aot
