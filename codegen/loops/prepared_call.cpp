// SPDX-License-Identifier: MIT
#include "prepared_call.hpp"

#include <utility>

#include "../../ir/planner/executor/executor.hpp"
#include "../../runtime/kernel/binding.hpp"

namespace frisket::codegen {

PreparedCall::PreparedCall(const Graph& graph, std::span<const Argument> arguments,
                           const LoopProvider& source, const LoopChoice& loops)
    : signature_(signature_of(graph)), bodies_(source, {}, loops), plan_(graph, arguments, bodies_.scope()) {}

bool PreparedCall::accepts(std::span<const Argument> arguments) const {
    try {
        kernel_calls::check_call(signature_, arguments);
    } catch (const MaskMismatch&) { return false; }  // the message names operands of the graph
    return true;
}

std::vector<Result> PreparedCall::run(std::span<const Argument> arguments, planning::RunEvents* events,
                                      std::span<const planning::ResultMemory> memory) {
    return planning::Executor(bodies_, events).run(plan_.plan(), arguments, memory);
}

std::shared_ptr<const KeptLoops> PreparedCall::whole() {
    planning::PreparedPlan& plan = plan_.plan();
    if (plan.plan()) return nullptr;
    return std::static_pointer_cast<const KeptLoops>(plan.slot(plan.whole_graph())->load().call);
}

std::size_t PreparedCall::bytes() {
    std::size_t bytes = 0;
    for (planning::PreparedPlan* plan = &plan_.plan(); plan != nullptr; plan = plan->rest())
        for (std::size_t stage = 0; stage <= plan->whole_graph(); ++stage)
            if (const auto call = plan->slot(stage)->load().call)
                bytes += static_cast<const KeptLoops*>(call.get())->call().loops().bytes();
    return bytes;
}

}  // namespace frisket::codegen
