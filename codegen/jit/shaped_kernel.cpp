// SPDX-License-Identifier: MIT
#include "jit.hpp"

#include <atomic>
#include <utility>

#include "../../ir/planner/shaped_step.hpp"
#include "../tuning/records/tuned.hpp"
#include "evaluate.hpp"
#include "known_calls.hpp"
#include "run_step.hpp"

namespace frisket {

namespace {

std::atomic<std::uint64_t> next_function = 0;  // numbers the functions of this process

/// Calls a function, as before if such a call is known.
std::vector<Result> call_function(planning::ShapedFunction& function, std::uint64_t number,
                                  std::span<const Argument> arguments, const TargetName& target) {
    detail::ExpressionKey key;
    detail::add_key(key, detail::KeyEntry::function, number);
    key.add(codegen::tuned_expressions_number());
    for (std::size_t i = 0; i < arguments.size(); ++i) key.add(function.parameters()[i], arguments[i]);
    if (key.is_complete())
        if (auto known = codegen::run_known_call(key)) return *std::move(known);
    const planning::ShapedFunction::Call call = function.bound(arguments);
    std::shared_ptr<const codegen::BoundCall> bound;
    std::vector<Result> results = codegen::jit_evaluate(*call.graph, call.arguments, target,
                                                        {.bound = key.is_complete() ? &bound : nullptr});
    if (bound != nullptr) codegen::keep_call(key, *call.graph, call.arguments, std::move(bound));
    return results;
}

}  // namespace

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
        [target, number = next_function++](planning::ShapedFunction& function,
                                           std::span<const Argument> arguments) {
            return call_function(function, number, arguments, target);
        });
}

}  // namespace frisket
