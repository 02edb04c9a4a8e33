// SPDX-License-Identifier: MIT
#include "interpreted_stages.hpp"

#include "../../../runtime/kernel/binding.hpp"
#include "../../interpreter/body.hpp"
#include "../memory_need.hpp"
#include "executor.hpp"

namespace frisket::planning {

std::vector<Result> InterpretedBodies::evaluate(const Graph& body, std::span<const Argument> arguments,
                                                RunEvents* events, std::span<const ResultMemory> /*memory*/,
                                                KeptCall* /*kept*/) const {
    const std::int64_t held = checked_interpreted_bytes(body, arguments);
    if (events != nullptr) events->emplace_back(BodyEvent{.held_bytes = held});
    std::vector<Result> results = ir::evaluate_body(body, arguments);
    if (are_owned_)
        for (Result& result : results) result = clone(result);
    return results;
}

kernel_calls::Ready InterpretedBodies::ready(const Graph& step, std::span<const Argument> arguments,
                                             RunEvents* events) const {
    if (events != nullptr) events->emplace_back(PassEvent{step, formats_of(arguments)});
    return {[&step, arguments] { ir::interpret_body(step, arguments); }};
}

std::vector<Result> evaluate_planned(const Graph& graph, std::span<const Argument> arguments,
                                     RunEvents* events) {
    kernel_calls::check_call(signature_of(graph), arguments);
    return Executor(InterpretedBodies(), events).run(graph, arguments);
}

void interpret_planned(const Graph& step, std::span<const Argument> arguments) {
    kernel_calls::check_call(signature_of(step), arguments);
    const StepPlan plan = plan_step(step);
    Executor(InterpretedBodies(true)).ready(plan, arguments).run();
}

}  // namespace frisket::planning
