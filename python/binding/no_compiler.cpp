// SPDX-License-Identifier: MIT
// Functions of the module that has no compiler: optimizers run loops that were compiled ahead of time, and
// small expressions, functions and steps are interpreted.
#include "../../codegen/loops/threads.hpp"
#include "../../ir/planner/executor/interpreted_stages.hpp"
#include "../../ir/tensor_ops/operations.hpp"
#include "../../runtime/tensor/spelling.hpp"
#include "compiler.hpp"
#include "rule_loops.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace frisket::python {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw TargetError(what + ": " + std::string(runtime::compiler_wanted));
}

/// Refuses work that takes long without loops.
void check_small(const std::string& name, std::int64_t elements) {
    const std::int64_t most = EvalPolicy{}.small_elements;
    if (elements < most) return;
    refuse(name + ": " + std::to_string(elements) + " elements are to be computed, and fewer than " +
           std::to_string(most) + " are interpreted");
}

void check_target(const TargetName& target) {
    if (!target.name.empty() && target.name != "cpu") refuse("target " + target.name);
}

/// Elements that an elementwise step of arguments of any shape computes at most.
std::int64_t work_of_step(const Graph& step, std::span<const Argument> arguments) {
    std::int64_t largest = 1;
    for (const Argument& argument : arguments) {
        if (argument.kind() == Argument::Kind::tensor) largest = std::max(largest, argument.tensor().size());
        if (argument.kind() == Argument::Kind::masked) largest = std::max(largest, argument.masked().size());
    }
    return largest * std::ranges::count(step.nodes, false, &Node::is_host_scalar);
}

std::vector<Result> interpreted(const Graph& graph, std::span<const Argument> arguments) {
    check_small(graph.name, work_of(graph));
    return planning::evaluate_planned(graph, arguments);
}

}  // namespace

ir::ExpressionContext::Evaluate evaluator() { return interpreted; }

const codegen::LoopProvider& optimizer_loops(const TargetName& target) {
    check_target(target);
    if (const codegen::LoopProvider* const loops = rule_loops()) return *loops;
    refuse("optimizers: the library of their loops is not installed");
}

RunStep run_of(const Graph& step, const planning::ShapedGraph::Describe& describe, const TargetName& target,
               const std::string& schedule) {
    check_target(target);
    if (!schedule.empty()) refuse(step.name + ": a schedule");
    if (!step.shaped)
        return [step](std::span<const Argument> arguments) {
            check_small(step.name, work_of_step(step, arguments));
            interpret(step, arguments);
        };
    const auto run = [](const std::shared_ptr<const planning::PreparedGraph>& made,
                        std::span<const Argument> arguments) {
        check_small(made->graph.name, work_of(made->graph));
        planning::interpret_planned(made->graph, arguments);
    };
    return [shaped = std::make_shared<planning::ShapedStep>(describe, run)](
               std::span<const Argument> arguments) { shaped->call(arguments); };
}

std::shared_ptr<planning::ShapedFunction> function_of(std::span<const StepSymbol> parameters,
                                                      planning::ShapedGraph::Describe describe,
                                                      const TargetName& target) {
    check_target(target);
    std::vector<std::string_view> names;
    for (const StepSymbol& symbol : parameters) names.push_back(symbol.name);
    const auto run = [](planning::ShapedFunction& function, std::span<const Argument> arguments) {
        const planning::ShapedFunction::Call call = function.bound(arguments);
        return interpreted(call.graph->graph, call.arguments);
    };
    return std::make_shared<planning::ShapedFunction>(std::move(names), std::move(describe), run);
}

std::string explained(const Graph& graph, std::span<const Argument> /*arguments*/) {
    refuse("explain(" + graph.name + ")");
}

nb::list tuned(const Graph& graph, std::span<const Argument> /*arguments*/, double /*seconds*/,
               std::uint64_t /*seed*/) {
    refuse("tune(" + graph.name + ")");
}

void add_tools(nb::module_& module) {
    module.def("machine", [] {
        nb::dict found;
        found["frisket"] = FRISKET_VERSION;
        found["halide"] = nb::none();
        found["threads"] = codegen::thread_count();
        found["rules"] = rule_target();
        found["loops"] = nb::make_tuple("", 0, 0);
        return found;
    });
    module.def("clear_loops", [] { return 0; });
    for (const char* const name : {"on_compile", "tuning_records", "export_tuning", "merge_tuning",
                                   "clear_tuning", "reread_tuning", "shape_forms", "build_library"})
        module.def(name, [name](const nb::args&) { refuse(name); });
    module.def("dtype_named",
               [](const std::string& name) { return std::string(name_of(parse_dtype(name))); });
}

}  // namespace frisket::python

NB_MODULE(_core_aot, module) { frisket::python::add_all(module); }
