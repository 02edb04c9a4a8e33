// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "row_loops.hpp"

#include <algorithm>

#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/tensor/show.hpp"
#include "../lowering/kernel_builder.hpp"
#include "../plan_text.hpp"
#include "halide_jit.hpp"

namespace frisket::codegen {

namespace {

/// A plan without what is a number of a call.
plan::RowPlan pattern_of(plan::RowPlan plan) {
    const auto generalize = [](Shape& shape) {
        for (std::int64_t& extent : shape) extent = extent == 1 ? 1 : 2;
    };
    generalize(plan.shape);
    for (Symbol& symbol : plan.values.graph.symbols) generalize(symbol.shape);
    for (Node& node : plan.values.graph.nodes) {
        generalize(node.shape);
        std::ranges::fill(node.offsets, 0);
    }
    for (plan::RowPhase& step : plan.steps) step.length = 0;
    return plan;
}

bool is_same(const plan::Stage& a, const plan::Stage& b) {
    return a.graph == b.graph && a.arguments == b.arguments;
}

/// Compiled loops over rows of this process.
runtime::LruCache<RowLoops>& all_loops() {
    constexpr std::size_t most = 64, most_bytes = std::size_t{1} << 28;
    // Never destroyed, as static variables of the user's may outlive it.
    static auto* cache = new runtime::LruCache<RowLoops>(most, most_bytes);
    return *cache;
}

}  // namespace

void RowLoop::run(std::span<const void*> argv, std::span<std::byte> reserve) const {
    JitContext context;
    context.reserve = reserve;
    const int status = code.call(argv, context);
    if (status != 0)
        throw Bug("a loop over listed rows failed with code " + std::to_string(status) + ": " +
                  context.message);
}

RowLoops::RowLoops(const plan::RowPlan& plan, const TargetRow& target)
    : pattern_(pattern_of(plan)), target_(target), values_{ir::ScalarProgram::of(plan.values.graph)} {}

std::shared_ptr<RowLoops> RowLoops::get(const plan::RowPlan& plan, const TargetRow& target) {
    const plan::RowPlan pattern = pattern_of(plan);
    return all_loops().get(
        hash(pattern.values.graph), [&](const RowLoops& loops) { return loops.is_for(pattern, target); },
        [&] { return std::make_shared<RowLoops>(plan, target); });
}

bool RowLoops::is_for(const plan::RowPlan& pattern, const TargetRow& target) const {
    const auto is_same_step = [](const plan::RowPhase& a, const plan::RowPhase& b) {
        return is_same(a.phase, b.phase) && a.forms == b.forms;
    };
    return &target_ == &target && is_same(pattern_.values, pattern.values) &&
           std::ranges::equal(pattern_.steps, pattern.steps, is_same_step);
}

void RowLoops::prepare() {
    std::call_once(once_, [this] {
        set_up_halide();
        if (!pattern_.values.graph.results.empty()) compile_values();
        std::vector<RowLoop> steps;  // all or none: what fails is tried again
        for (const plan::RowPhase& step : pattern_.steps) steps.push_back(compiled(step));
        steps_ = std::move(steps);
        std::size_t bytes = values_.code.bytes();
        for (const RowLoop& step : steps_) bytes += step.code.bytes();
        bytes_ = bytes;
    });
}

void RowLoops::compile_values() {
    const Graph& graph = pattern_.values.graph;
    const Halide::Target machine = machine_of(target_);
    Specialization form{.inputs = std::vector<InputForm>(graph.symbols.size()),
                        .lanes = machine.natural_vector_size<float>()};
    // How many terms there are, a call says.
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id)
        if (is_product(graph[id])) form.panels.push_back(id);
    // Rows that are listed are brought together; others come with any strides.
    for (std::size_t i = 0; i < graph.symbols.size(); ++i)
        form.inputs[i].values_are_rows = pattern_.values_by_row[i];
    if (runtime::shows("graph"))
        runtime::show("graph", graph.name + ", values of listed rows", to_string(graph));
    const KeyText key = nest_key(graph, form);
    values_.code = loop_code({.name = graph.name,
                              .loops = "values of listed rows",
                              .title = graph.name + ", values of listed rows",
                              .target = target_,
                              .key = key,
                              .build = [&] { return built(make_nest(graph, values_.numbers, form)); }});
    sizes_ = KernelMetadata::of(values_.code.notes()).sizes;
    values_.abi = abi_of(graph, values_.numbers, form, sizes_);
}

RowLoop RowLoops::compiled(const plan::RowPhase& step) const {
    const Graph& graph = step.phase.graph;
    const Signature signature = signature_of(graph);
    const Halide::Target machine = machine_of(target_);
    RowLoop loop{ir::ScalarProgram::of(graph)};
    KernelRequest task{graph,   signature, loop.numbers,
                       target_, machine,   default_schedule(Strategy::rows, machine)};
    for (const plan::RowForm& form : step.forms) task.is_single.push_back(form.is_single);
    loop.abi = kernel::abi_of(signature, loop.numbers.dtypes(), Strategy::rows, task.is_single);
    if (runtime::shows("plan"))
        runtime::show("plan", graph.name, plan_text(graph, signature, Strategy::rows));
    const KeyText key = step_key(graph, task.schedule, task.is_single);
    loop.code = loop_code({.name = graph.name,
                           .loops = to_string(task.schedule),
                           .title = graph.name + ", strategy rows",
                           .target = target_,
                           .key = key,
                           .build = [&] {
                               LoopNest nest = make_loop(task, Strategy::rows);
                               return BuiltLoops{std::move(nest.pipeline), std::move(nest.arguments)};
                           }});
    return loop;
}

}  // namespace frisket::codegen
