// SPDX-License-Identifier: MIT
#include "jit.hpp"

#include <utility>

#include "../../ir/planner/shaped_step.hpp"
#include "../loops/known_calls.hpp"
#include "../tuning/records/tuned.hpp"
#include "evaluate.hpp"
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
    return std::make_shared<planning::ShapedFunction>(
        std::move(names), std::move(describe),
        [target, number = codegen::next_function()](planning::ShapedFunction& function,
                                                    std::span<const Argument> arguments) {
            detail::ExpressionKey key;
            detail::add_key(key, detail::KeyEntry::function, number);
            key.add(codegen::tuned_expressions_number());
            return codegen::call_function(key, function, arguments,
                                          [&](const Graph& graph, std::span<const Argument> own,
                                              std::shared_ptr<codegen::PreparedCall>* prepared) {
                                              return codegen::jit_evaluate(graph, own, target,
                                                                           {.prepared = prepared});
                                          });
        });
}

}  // namespace frisket
