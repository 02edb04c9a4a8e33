// SPDX-License-Identifier: MIT
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "../../ir/graph_text.hpp"
#include "../../ir/planner/shaped_step.hpp"
#include "../../runtime/tensor/show.hpp"
#include "linked_loops.hpp"
#include "ready_step.hpp"

namespace frisket::aot {

namespace {

/// A step and its loops, which are chosen at the first call.
class LinkedStep {
public:
    explicit LinkedStep(PlannedStep step) : step_(std::move(step)) {}

    Graph describe(std::span<const Shape> shapes) const {
        Graph graph = step_.describe(shapes);
        if (runtime::shows("graph")) runtime::show("graph", graph.name, to_string(graph));
        return graph;
    }
    void run(const Graph& graph, std::span<const Argument> arguments) {
        std::call_once(once_, [this] { loops_.emplace(step_.name, step_.targets); });
        codegen::ready_step(graph, arguments, *loops_)->run();
    }

private:
    const PlannedStep step_;
    std::once_flag once_;
    std::optional<codegen::LinkedLoops> loops_;
};

}  // namespace

std::shared_ptr<plan::ShapedStep> make_step(PlannedStep step) {
    // Never destroyed: what this process keeps of plans refers to their loops.
    static auto* const all = new std::vector<std::unique_ptr<LinkedStep>>;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    LinkedStep& made = *all->emplace_back(std::make_unique<LinkedStep>(std::move(step)));
    return std::make_shared<plan::ShapedStep>(
        [&made](std::span<const Shape> shapes) { return made.describe(shapes); },
        [&made](const Graph& graph, std::span<const Argument> arguments) { made.run(graph, arguments); });
}

PlannedCall planned_call(Signature signature, std::shared_ptr<plan::ShapedStep> step) {
    return {std::move(signature), [step](std::span<const Shape> shapes) { step->check_shapes(shapes); },
            [step](std::span<const Argument> arguments) { step->call(arguments); }};
}

}  // namespace frisket::aot
