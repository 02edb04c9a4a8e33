// SPDX-License-Identifier: MIT
#include "shaped_step.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

namespace {

void check_not_moved(std::span<const Argument> arguments) {
    for (const Argument& argument : arguments) {
        if (argument.kind() == Argument::Kind::tensor) argument.tensor().check_not_moved("a call");
        if (argument.kind() == Argument::Kind::masked) argument.masked().check_not_moved("a call");
    }
}

}  // namespace

ShapedStep::ShapedStep(ShapedGraph::Describe describe, Run run)
    : graph_(std::move(describe)), run_(std::move(run)) {}

void ShapedStep::call(std::span<const Argument> arguments) {
    check_not_moved(arguments);
    run_(graph_.for_shapes(shapes_of(arguments)), arguments);
}

void ShapedStep::check_shapes(std::span<const Shape> shapes) {
    static_cast<void>(graph_.for_shapes({shapes.begin(), shapes.end()}));
}

ShapedFunction::ShapedFunction(std::vector<std::string_view> parameters, ShapedGraph::Describe describe,
                               Run run)
    : parameters_(std::move(parameters)), graph_(std::move(describe)), run_(std::move(run)) {}

std::shared_ptr<const PreparedGraph> ShapedFunction::graph_for(std::span<const Shape> shapes) {
    return graph_.for_shapes({shapes.begin(), shapes.end()});
}

ShapedFunction::Call ShapedFunction::bound(std::span<const Argument> arguments) {
    Call call{.graph = graph_.for_shapes(shapes_of(arguments)), .arguments = {}};
    // A graph has the symbols that its results read, in its own order.
    for (const Symbol& symbol : call.graph->graph.symbols) {
        const auto parameter = std::ranges::find(parameters_, std::string_view(symbol.name));
        call.arguments.push_back(arguments[static_cast<std::size_t>(parameter - parameters_.begin())]);
    }
    return call;
}

std::vector<Result> ShapedFunction::call(std::span<const Argument> arguments) {
    check_not_moved(arguments);
    return run_(*this, arguments);
}

}  // namespace frisket::planning
