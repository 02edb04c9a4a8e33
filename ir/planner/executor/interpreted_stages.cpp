// SPDX-License-Identifier: MIT
#include "interpreted_stages.hpp"

#include "../../../runtime/kernel/binding.hpp"
#include "../../interpreter/body.hpp"
#include "../memory_need.hpp"
#include "executor.hpp"

namespace frisket::planning {

namespace {

/// Bodies whose results share no memory with arguments, which later stages may write.
class OwnedBodies final : public InterpretedBodies {
public:
    std::vector<Result> evaluate(const Graph& body, std::span<const Argument> arguments, RunEvents* events,
                                 std::span<const ResultMemory> memory,
                                 std::shared_ptr<const KeptCall>* kept) const override {
        std::vector<Result> results = InterpretedBodies::evaluate(body, arguments, events, memory, kept);
        for (Result& result : results) result = clone(result);
        return results;
    }
};

}  // namespace

std::vector<Result> InterpretedBodies::evaluate(const Graph& body, std::span<const Argument> arguments,
                                                RunEvents* events, std::span<const ResultMemory> /*memory*/,
                                                std::shared_ptr<const KeptCall>* /*kept*/) const {
    const std::int64_t held = checked_interpreted_bytes(body, arguments);
    if (events != nullptr) events->emplace_back(BodyEvent{.held_bytes = held});
    return ir::evaluate_body(body, arguments);
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
    Executor(OwnedBodies()).ready(plan, arguments).run();
}

}  // namespace frisket::planning
