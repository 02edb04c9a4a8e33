// SPDX-License-Identifier: MIT
// Plans steps and functions for the shapes of each call.
#pragma once
#include "../../runtime/kernel/argument.hpp"
#include "../interpreter/interpret.hpp"
#include "shaped_graph.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace frisket::planning {

/// A step with operations on whole tensors, planned for the shapes of each call.
/// Threads: may be called from any number of threads on different data.
class ShapedStep {
public:
    using Run = std::function<void(const std::shared_ptr<const PreparedGraph>&, std::span<const Argument>)>;

    ShapedStep(ShapedGraph::Describe describe, Run run);

    /// Runs the step on arguments in the order of its parameters.
    /// Errors: the errors of describe(step, shapes) and of a kernel's call, before anything is written.
    void call(std::span<const Argument> arguments);
    /// Describes the step for these shapes.  Errors: the errors of describe(step, shapes).
    void check_shapes(std::span<const Shape> shapes);

private:
    ShapedGraph graph_;
    Run run_;
};

/// Expressions of symbols, planned for the shapes of each call.
/// Threads: as ShapedStep.
class ShapedFunction {
public:
    /// A graph, and the arguments of its symbols.
    struct Call {
        std::shared_ptr<const PreparedGraph> graph;
        std::vector<Argument> arguments;
    };
    /// Gives the results for arguments of the parameters.
    using Run = std::function<std::vector<Result>(ShapedFunction&, std::span<const Argument>)>;

    /// `parameters`: names of the symbols, in the order of a call's arguments.
    ShapedFunction(std::vector<std::string_view> parameters, ShapedGraph::Describe describe, Run run);

    /// The results for arguments in the order of the parameters.
    /// Errors: the errors of describe(function, shapes) and of eval.
    std::vector<Result> call(std::span<const Argument> arguments);
    /// The graph for these shapes.  Errors: the errors of describe(function, shapes).
    std::shared_ptr<const PreparedGraph> graph_for(std::span<const Shape> shapes);
    /// The graph for the shapes of these arguments.  Errors: the errors of describe(function, shapes).
    Call bound(std::span<const Argument> arguments);
    std::span<const std::string_view> parameters() const noexcept { return parameters_; }

private:
    const std::vector<std::string_view> parameters_;
    ShapedGraph graph_;
    Run run_;
};

}  // namespace frisket::planning
