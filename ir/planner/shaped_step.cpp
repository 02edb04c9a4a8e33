// SPDX-License-Identifier: MIT
#include "shaped_step.hpp"

#include <utility>

namespace frisket::plan {

ShapedStep::ShapedStep(Describe describe, Run run) : describe_(std::move(describe)), run_(std::move(run)) {}

std::shared_ptr<const Graph> ShapedStep::graph_for(const std::vector<Shape>& shapes) {
    const std::lock_guard lock(mutex_);
    if (!graph_ || shapes != shapes_) {
        std::vector<Shape> described = shapes;
        graph_ = std::make_shared<const Graph>(describe_(shapes));
        shapes_ = std::move(described);  // with its graph, or neither
    }
    return graph_;
}

void ShapedStep::call(std::span<const Argument> arguments) {
    for (const Argument& argument : arguments) {
        if (argument.kind() == Argument::Kind::tensor) argument.tensor().check_not_moved("a call");
        if (argument.kind() == Argument::Kind::masked) argument.masked().check_not_moved("a call");
    }
    run_(*graph_for(shapes_of(arguments)), arguments);
}

void ShapedStep::check_shapes(std::span<const Shape> shapes) {
    static_cast<void>(graph_for({shapes.begin(), shapes.end()}));
}

}  // namespace frisket::plan
