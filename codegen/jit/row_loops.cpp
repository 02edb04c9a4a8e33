// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "row_loops.hpp"

#include <algorithm>

#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/tensor/show.hpp"
#include "../lowering/kernel_builder.hpp"
#include "../plan_text.hpp"
#include "halide_jit.hpp"

namespace frisket {

namespace {

/// A plan without what is a number of a call.
RowPlan pattern_of(RowPlan plan) {
    const auto generalize = [](Shape& shape) {
        for (std::int64_t& extent : shape) extent = extent == 1 ? 1 : 2;
    };
    generalize(plan.shape);
    for (Symbol& symbol : plan.values.graph.symbols) generalize(symbol.shape);
    for (Node& node : plan.values.graph.nodes) {
        generalize(node.shape);
        std::ranges::fill(node.offsets, 0);
    }
    for (RowPhase& step : plan.steps) step.length = 0;
    return plan;
}

bool is_same(const Stage& a, const Stage& b) { return a.graph == b.graph && a.arguments == b.arguments; }

/// Compiled loops over rows of this process.
LruCache<RowLoops>& all_loops() {
    constexpr std::size_t most = 64, most_bytes = std::size_t{1} << 28;
    // Never destroyed, as static variables of the user's may outlive it.
    static auto* cache = new LruCache<RowLoops>(most, most_bytes);
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

RowLoops::RowLoops(const RowPlan& plan, const TargetRow& target)
    : pattern_(pattern_of(plan)), target_(target), values_{ScalarProgram::of(plan.values.graph)} {}

std::shared_ptr<RowLoops> RowLoops::get(const RowPlan& plan, const TargetRow& target) {
    const RowPlan pattern = pattern_of(plan);
    return all_loops().get(
        hash(pattern.values.graph), [&](const RowLoops& loops) { return loops.is_for(pattern, target); },
        [&] { return std::make_shared<RowLoops>(plan, target); });
}

bool RowLoops::is_for(const RowPlan& pattern, const TargetRow& target) const {
    const auto is_same_step = [](const RowPhase& a, const RowPhase& b) {
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
        for (const RowPhase& step : pattern_.steps) steps.push_back(compiled(step));
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
    // Rows that are listed are brought together; others come with any strides.
    for (std::size_t i = 0; i < graph.symbols.size(); ++i)
        form.inputs[i].values_are_rows = pattern_.values_by_row[i];
    if (shows("graph")) show("graph", graph.name + ", values of listed rows", to_string(graph));
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

RowLoop RowLoops::compiled(const RowPhase& step) const {
    const Graph& graph = step.phase.graph;
    const Signature signature = signature_of(graph);
    const Halide::Target machine = machine_of(target_);
    RowLoop loop{ScalarProgram::of(graph)};
    KernelRequest task{graph,   signature, loop.numbers,
                       target_, machine,   default_schedule(Strategy::rows, machine)};
    for (const RowForm& form : step.forms) task.is_single.push_back(form.is_single);
    loop.abi = abi_of(signature, loop.numbers.dtypes(), Strategy::rows, task.is_single);
    if (shows("plan")) show("plan", graph.name, plan_text(graph, signature, Strategy::rows));
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

}  // namespace frisket
