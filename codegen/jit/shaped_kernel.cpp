// SPDX-License-Identifier: MIT
#include "jit.hpp"

#include <utility>

#include "../../ir/planner/shaped_step.hpp"
#include "../loops/known_calls.hpp"
#include "../tuning/records/tuned.hpp"
#include "run_step.hpp"

namespace frisket {

std::shared_ptr<planning::ShapedStep> shaped_step(std::function<Graph(std::span<const Shape>)> describe,
                                                  const TargetName& target) {
    return std::make_shared<planning::ShapedStep>(
        std::move(describe),
        [target](const std::shared_ptr<const planning::PreparedGraph>& step,
                 std::span<const Argument> arguments) { codegen::run_step(step, arguments, target); });
}

std::shared_ptr<planning::ShapedFunction>
shaped_function(std::span<const StepSymbol> parameters, std::function<Graph(std::span<const Shape>)> describe,
                const TargetName& target) {
    std::vector<std::string_view> names;
    for (const StepSymbol& symbol : parameters) names.push_back(symbol.name);
    return codegen::known_function(
        std::move(names), std::move(describe),
        [target]() -> const codegen::LoopProvider& { return just_in_time(target); },
        codegen::tuned_expressions_number);
}

}  // namespace frisket
