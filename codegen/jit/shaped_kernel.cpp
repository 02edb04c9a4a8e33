// SPDX-License-Identifier: MIT
#include "jit.hpp"

#include <utility>

#include "../../ir/planner/shaped_step.hpp"
#include "evaluate.hpp"
#include "run_step.hpp"

namespace frisket {

std::shared_ptr<planning::ShapedStep> shaped_step(std::function<Graph(std::span<const Shape>)> describe,
                                                  const TargetName& target) {
    return std::make_shared<planning::ShapedStep>(
        std::move(describe), [target](const Graph& graph, std::span<const Argument> arguments) {
            codegen::run_step(graph, arguments, target);
        });
}

std::shared_ptr<planning::ShapedFunction>
shaped_function(std::span<const StepSymbol> parameters, std::function<Graph(std::span<const Shape>)> describe,
                const TargetName& target) {
    std::vector<std::string_view> names;
    for (const StepSymbol& symbol : parameters) names.push_back(symbol.name);
    return std::make_shared<planning::ShapedFunction>(
        std::move(names), std::move(describe),
        [target](const Graph& graph, std::span<const Argument> arguments) {
            return codegen::jit_evaluate(graph, arguments, target);
        });
}

}  // namespace frisket
