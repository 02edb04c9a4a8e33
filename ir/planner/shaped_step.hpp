// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/kernel/argument.hpp"
#include "../graph.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace frisket::plan {

/// A step with operations on whole tensors: its graph is made for the shapes of a call, and kept for the next
/// call with the same.
/// Threads: may be called from any number of threads on different data.
class ShapedStep {
public:
    using Describe = std::function<Graph(std::span<const Shape>)>;
    using Run = std::function<void(const Graph&, std::span<const Argument>)>;

    ShapedStep(Describe describe, Run run);

    /// Runs the step on arguments in the order of its parameters.
    /// Errors: those of describe(step, shapes) and of a kernel's call, before anything is written.
    void call(std::span<const Argument> arguments);
    /// Describes the step for these shapes.  Errors: those of describe(step, shapes).
    void check_shapes(std::span<const Shape> shapes);

private:
    std::shared_ptr<const Graph> graph_for(const std::vector<Shape>& shapes);

    Describe describe_;
    Run run_;
    std::mutex mutex_;
    std::vector<Shape> shapes_;  // shapes of the last call
    std::shared_ptr<const Graph> graph_;
};

}  // namespace frisket::plan
