// SPDX-License-Identifier: MIT
#include "jit.hpp"

#include <utility>

#include "../../ir/planner/shaped_step.hpp"
#include "../../runtime/tensor/show.hpp"
#include "evaluate.hpp"
#include "run_step.hpp"

namespace frisket {

namespace {

/// Shows each graph that is made, if FRISKET_SHOW says so.
plan::ShapedGraph::Describe shown(std::function<Graph(std::span<const Shape>)> describe) {
    return [describe = std::move(describe)](std::span<const Shape> shapes) {
        Graph graph = describe(shapes);
        if (runtime::shows("graph")) runtime::show("graph", graph.name, to_string(graph));
        return graph;
    };
}

}  // namespace

std::shared_ptr<plan::ShapedStep> shaped_step(std::function<Graph(std::span<const Shape>)> describe,
                                              const TargetName& target) {
    return std::make_shared<plan::ShapedStep>(
        shown(std::move(describe)), [target](const Graph& graph, std::span<const Argument> arguments) {
            codegen::run_step(graph, arguments, target);
        });
}

std::shared_ptr<plan::ShapedFunction> shaped_function(std::span<const StepSymbol> parameters,
                                                      std::function<Graph(std::span<const Shape>)> describe,
                                                      const TargetName& target) {
    std::vector<std::string_view> names;
    for (const StepSymbol& symbol : parameters) names.push_back(symbol.name);
    return std::make_shared<plan::ShapedFunction>(
        std::move(names), shown(std::move(describe)),
        [target](const Graph& graph, std::span<const Argument> arguments,
                 std::span<const plan::ResultMemory> memory) {
            return codegen::jit_evaluate(graph, arguments, target, {.memory = memory});
        });
}

}  // namespace frisket
