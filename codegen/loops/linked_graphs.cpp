// SPDX-License-Identifier: MIT
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "../../dsl/evaluated.hpp"
#include "../../ir/planner/shaped_step.hpp"
#include "../strategies/schedule.hpp"
#include "linked_loops.hpp"
#include "linked_module.hpp"
#include "ready_step.hpp"

namespace frisket::aot {

namespace {

/// A step and its loops, which are chosen at the first call.
class LinkedStep {
public:
    explicit LinkedStep(PlannedGraph step) : step_(std::move(step)) {}

    const plan::ShapedGraph::Describe& describe() const noexcept { return step_.describe; }
    void run(const Graph& graph, std::span<const Argument> arguments) {
        codegen::ready_step(graph, arguments, loops())->run();
    }
    std::vector<Result> evaluate(const Graph& graph, std::span<const Argument> arguments) {
        return loops().evaluate(graph, arguments);
    }

private:
    const codegen::LinkedLoops& loops() {
        std::call_once(once_, [this] { loops_.emplace(step_.name, codegen::LinkedTables{step_.targets}); });
        return *loops_;
    }

    const PlannedGraph step_;
    std::once_flag once_;
    std::optional<codegen::LinkedLoops> loops_;
};

LinkedStep& linked(PlannedGraph step) {
    // Never destroyed: what this process keeps of plans refers to their loops.
    static auto* const all = new std::vector<std::unique_ptr<LinkedStep>>;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    return *all->emplace_back(std::make_unique<LinkedStep>(std::move(step)));
}

std::vector<ResultForm> forms_of(const Graph& graph) {
    std::vector<ResultForm> forms;
    for (const NodeId id : graph.results)
        forms.push_back({graph[id].result_dtype(), graph[id].shape, graph[id].mask != no_node});
    return forms;
}

Value value_of(Result&& result, bool is_masked) {
    if (is_masked) return frisket::detail::masked_value(std::move(result));
    return frisket::detail::dense_value(std::move(result));
}

}  // namespace

const codegen::LoopProvider& make_provider(std::string_view name,
                                           std::initializer_list<std::vector<PlannedTarget>> tables) {
    // Never destroyed, as what this process keeps of plans refers to it.
    const auto* const kept = new std::vector<std::vector<PlannedTarget>>(tables);
    return *new codegen::LinkedLoops(name, codegen::LinkedTables(kept->begin(), kept->end()));
}

std::shared_ptr<kernel::KernelModule>
make_device_kernel(const Graph& step, const std::vector<PlannedTarget>& targets, const Device& device) {
    // Never destroyed, as the loops that kernels call refer to it.
    const auto* const kept = new std::vector<PlannedTarget>(targets);
    const auto* const loops = new codegen::LinkedLoops(step.name, codegen::LinkedTables{*kept}, device);
    return std::make_shared<codegen::LinkedModule>(step, *loops, loops->tuned_calls(to_string(step)));
}

void check_not_chosen(std::string_view name, const TargetName& target) {
    if (target.name.empty() || target.name == "cpu") return;
    throw TargetError(std::string(name) + ": its kernels were compiled ahead of time, and the target is " +
                      target.name +
                      ": leave Settings::target out; the best of its targets is taken, or the "
                      "one that $FRISKET_TARGET names");
}

std::shared_ptr<plan::ShapedStep> make_step(PlannedGraph step) {
    LinkedStep& made = linked(std::move(step));
    return std::make_shared<plan::ShapedStep>(
        made.describe(),
        [&made](const Graph& graph, std::span<const Argument> arguments) { made.run(graph, arguments); });
}

std::shared_ptr<plan::ShapedFunction> make_function(PlannedGraph function,
                                                    std::vector<std::string_view> parameters) {
    LinkedStep& made = linked(std::move(function));
    return std::make_shared<plan::ShapedFunction>(
        std::move(parameters), made.describe(),
        [&made](const Graph& graph, std::span<const Argument> arguments) {
            return made.evaluate(graph, arguments);
        });
}

PlannedValues planned_values(Signature signature, std::shared_ptr<plan::ShapedFunction> function) {
    return {std::move(signature),
            [function](std::span<const Shape> shapes) { return forms_of(*function->graph_for(shapes)); },
            [function](std::span<const Argument> arguments, std::span<const ResultForm> forms) {
                std::vector<Result> found = function->call(arguments);
                std::vector<Value> values;
                for (std::size_t i = 0; i < found.size(); ++i)
                    values.push_back(value_of(std::move(found[i]), forms[i].is_masked));
                return values;
            }};
}

PlannedCall planned_call(Signature signature, std::shared_ptr<plan::ShapedStep> step) {
    return {std::move(signature), [step](std::span<const Shape> shapes) { step->check_shapes(shapes); },
            [step](std::span<const Argument> arguments) { step->call(arguments); }};
}

}  // namespace frisket::aot
