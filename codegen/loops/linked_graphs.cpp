// SPDX-License-Identifier: MIT
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "../../dsl/evaluated.hpp"
#include "../../dsl/step.hpp"
#include "../../ir/planner/shaped_step.hpp"
#include "../../runtime/kernel/aot_module.hpp"
#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/made_once.hpp"
#include "bound_call.hpp"
#include "known_calls.hpp"
#include "linked_loops.hpp"
#include "linked_module.hpp"
#include "read_tables.hpp"
#include "ready_step.hpp"
#include "schedule.hpp"

namespace frisket::aot {

namespace {

/// The loops of a step, which are chosen at the first call.
class LinkedStep {
public:
    explicit LinkedStep(const PlannedTable& table) : table_(table) {}

    const codegen::LoopProvider& loops() {
        once_.run([this] { loops_.emplace(table_.signature.name, codegen::LinkedTables{table_.targets}); });
        return *loops_;
    }

private:
    const PlannedTable table_;
    runtime::Once once_;
    std::optional<codegen::LinkedLoops> loops_;
};

LinkedStep& linked(const PlannedTable& table) {
    // Never destroyed: plans that this process stores refer to their loops.
    auto& all = runtime::made_once([] { return std::vector<std::unique_ptr<LinkedStep>>(); });
    static constinit runtime::Mutex mutex;
    const std::lock_guard lock(mutex);
    return *all.emplace_back(std::make_unique<LinkedStep>(table));
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

/// The graphs of a step or a function, for shapes.
planning::ShapedGraph::Describe describing(const Description& step, const char* name) {
    if (step.recorded_steps == nullptr) return step.step->describe_for;
    return [step, name](std::span<const Shape> shapes) {
        return step.recorded_steps->graph(name, step.recordings, shapes);
    };
}

}  // namespace

const codegen::LoopProvider& make_provider(std::atomic<const codegen::LoopProvider*>& made, const char* name,
                                           std::initializer_list<Rows<PlannedTarget>> tables) {
    // Never destroyed, as plans that this process stores refer to it.
    return runtime::made_once_at(made, [&] {
        return new codegen::LinkedLoops(name, codegen::LinkedTables(tables.begin(), tables.end()));
    });
}

namespace {

std::shared_ptr<kernel_calls::KernelModule> make_device_kernel(const KernelTable& table,
                                                               const Device& device) {
    const Graph step = table.step.step != nullptr ? table.step.step->describe()
                                                  : describing(table.step, table.signature.name)({});
    // Never destroyed, as the loops that kernels call refer to it.
    const auto* const loops =
        new codegen::LinkedLoops(step.name, codegen::LinkedTables{table.devices}, device);
    return std::make_shared<codegen::LinkedModule>(step, *loops, loops->tuned_calls(to_string(step)));
}

}  // namespace

const DeviceKernels device_kernels{make_device_kernel};

void check_not_chosen(const char* name, const TargetName& target) {
    if (target.name.empty() || target.name == "cpu") return;
    throw TargetError(std::string(name) + ": its kernels were compiled ahead of time, and the target is " +
                      target.name +
                      ": leave Settings::target out; the best of its targets is taken, or the "
                      "one that $FRISKET_TARGET names");
}

std::shared_ptr<planning::ShapedStep> make_step(const PlannedTable& table) {
    LinkedStep& made = linked(table);
    return std::make_shared<planning::ShapedStep>(
        describing(table.step, table.signature.name),
        [&made](const std::shared_ptr<const planning::PreparedGraph>& step,
                std::span<const Argument> arguments) {
            codegen::ready_step(step, arguments, made.loops()).run();
        });
}

std::shared_ptr<planning::ShapedFunction> make_function(const PlannedTable& table) {
    LinkedStep& made = linked(table);
    std::vector<std::string_view> parameters;
    for (const ParameterRow& row : table.signature.parameters) parameters.emplace_back(row.name);
    return codegen::known_function(
        std::move(parameters), describing(table.step, table.signature.name),
        [&made]() -> const codegen::LoopProvider& { return made.loops(); },
        []() noexcept { return std::uint64_t{0}; });
}

const PlannedValues& c_function(const PlannedTable& table) {
    const std::shared_ptr<planning::ShapedFunction> function = make_function(table);
    return *new PlannedValues{
        signature_of(table.signature),
        [function](std::span<const Shape> shapes) { return forms_of(function->graph_for(shapes)->graph); },
        [function](std::span<const Argument> arguments, std::span<const ResultForm> forms) {
            std::vector<Result> found = function->call(arguments);
            std::vector<Value> values;
            for (std::size_t i = 0; i < found.size(); ++i)
                values.push_back(value_of(std::move(found[i]), forms[i].is_masked));
            return values;
        }};
}

const PlannedCall& c_step(const PlannedTable& table) {
    const std::shared_ptr<planning::ShapedStep> step = make_step(table);
    return *new PlannedCall{signature_of(table.signature),
                            [step](std::span<const Shape> shapes) { step->check_shapes(shapes); },
                            [step](std::span<const Argument> arguments) { step->call(arguments); }};
}

}  // namespace frisket::aot
