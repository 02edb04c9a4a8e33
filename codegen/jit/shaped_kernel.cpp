// SPDX-License-Identifier: MIT
#include "jit.hpp"

#include <utility>

#include "../../ir/planner/shaped_step.hpp"
#include "../../runtime/tensor/show.hpp"
#include "run_step.hpp"

namespace frisket {

std::shared_ptr<plan::ShapedStep> shaped_step(std::function<Graph(std::span<const Shape>)> describe,
                                              const TargetName& target) {
    return std::make_shared<plan::ShapedStep>(
        [describe = std::move(describe)](std::span<const Shape> shapes) {
            Graph graph = describe(shapes);
            if (runtime::shows("graph")) runtime::show("graph", graph.name, to_string(graph));
            return graph;
        },
        [target](const Graph& graph, std::span<const Argument> arguments) {
            codegen::run_step(graph, arguments, target);
        });
}

}  // namespace frisket
