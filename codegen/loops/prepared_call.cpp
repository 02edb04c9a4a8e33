// SPDX-License-Identifier: MIT
#include "prepared_call.hpp"

#include <utility>

#include "../../ir/planner/executor/executor.hpp"
#include "../../runtime/kernel/binding.hpp"

namespace frisket::codegen {

PreparedCall::PreparedCall(const Graph& graph, std::span<const Argument> arguments,
                           const LoopProvider& source, const LoopChoice& loops)
    : graph_(graph),
      signature_(signature_of(graph_)),
      operands_(planning::argument_values(arguments.size())),
      bodies_(source, {}, loops),
      plan_(planned(arguments)) {}

planning::PreparedPlan PreparedCall::planned(std::span<const Argument> arguments) {
    const planning::PlanFacts facts(arguments);
    const auto count = static_cast<planning::ValueId>(arguments.size());
    const planning::PlanFacts noted = noting(facts, facts_);
    const planning::PlanRequest request{graph_, noted, operands_, count};
    return {request, plan_whole_call(request, bodies_.reads_lists()), count, true};
}

bool PreparedCall::is_for(std::span<const Argument> arguments) const {
    try {
        kernel_calls::check_call(signature_, arguments);
    } catch (const MaskMismatch&) { return false; }  // the message names operands of the graph
    return planning::hold(facts_, arguments);
}

std::vector<Result> PreparedCall::run(std::span<const Argument> arguments, planning::PlanReport* report,
                                      std::span<const planning::ResultMemory> memory) {
    return planning::Executor(bodies_, report).run(plan_, arguments, memory);
}

std::shared_ptr<const KeptLoops> PreparedCall::whole() {
    if (plan_.plan()) return nullptr;
    return std::static_pointer_cast<const KeptLoops>(plan_.slot(plan_.whole_graph())->load().call);
}

std::size_t PreparedCall::bytes() {
    std::size_t bytes = 0;
    for (planning::PreparedPlan* plan = &plan_; plan != nullptr; plan = plan->rest())
        for (std::size_t stage = 0; stage <= plan->whole_graph(); ++stage)
            if (const auto call = plan->slot(stage)->load().call)
                bytes += static_cast<const KeptLoops&>(*call).call().loops().bytes();
    return bytes;
}

}  // namespace frisket::codegen
