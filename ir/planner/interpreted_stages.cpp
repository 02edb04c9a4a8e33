// SPDX-License-Identifier: MIT
#include "interpreted_stages.hpp"

#include "../../runtime/kernel/binding.hpp"
#include "../at.hpp"
#include "../interpreter/body.hpp"
#include "executor.hpp"
#include "rules/partition.hpp"

#include <deque>
#include <utility>

namespace frisket {

namespace {

/// The arguments of a call with copies of what it writes.
class Copies {
public:
    Copies(const Graph& step, std::span<const Argument> arguments)
        : arguments_(arguments.begin(), arguments.end()) {
        for (const int target : signature_of(step).outputs) {
            Argument& argument = arguments_[at(target)];
            const auto& [to, copy] = tensors_.emplace_back(argument.tensor(), argument.tensor().clone());
            argument = Argument::borrow(copy);
        }
        for (Argument& argument : arguments_) {
            if (argument.kind() != Argument::Kind::state) continue;
            auto& [state, copy] = states_.emplace_back(argument.state_slot(), argument.number());
            argument = Argument::state(copy);
        }
    }

    std::span<const Argument> arguments() const { return arguments_; }

    void store() const {
        for (const auto& [to, from] : tensors_) copy(from, to);
        for (const auto& [state, value] : states_) *state = value;
    }

private:
    std::vector<Argument> arguments_;
    std::deque<std::pair<AnyTensor, AnyTensor>> tensors_;
    std::deque<std::pair<double*, double>> states_;
};

}  // namespace

std::vector<Result> evaluate_planned(const Graph& graph, std::span<const Argument> arguments, Plan* plan) {
    static const Executor::Backend bodies = [](const Graph& body, std::span<const Argument> operands,
                                               PlanStage* /*stage*/) {
        return evaluate_body(body, operands);
    };
    check_call(signature_of(graph), arguments);
    return Executor(bodies, plan).run(graph, arguments);
}

void interpret_planned(const Graph& step, std::span<const Argument> arguments) {
    check_call(signature_of(step), arguments);
    const Partition stages = partition(step);
    // Values may share memory with arguments, which later stages must not write.
    const Copies copies(step, arguments);
    const std::vector<Result> values =
        evaluate_planned(stages.values.graph, PhaseArguments(stages.values, arguments, {}, false));
    for (const Stage& stage : stages.steps)
        interpret_body(stage.graph,
                       PhaseArguments(stage, copies.arguments(), values, &stage == &stages.steps.back()));
    copies.store();
}

}  // namespace frisket
