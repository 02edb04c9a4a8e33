// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "row_loops.hpp"

#include <algorithm>
#include <list>

#include "../runtime/show.hpp"
#include "halide_jit.hpp"
#include "loop.hpp"
#include "plan.hpp"

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

bool is_same(const Phase& a, const Phase& b) { return a.graph == b.graph && a.arguments == b.arguments; }

/// Compiled loops of this process, the last used first.
class Cache {
public:
    template <class IsFor, class Make>
    std::shared_ptr<RowLoops> get(const IsFor& is_for, const Make& make) {
        const std::lock_guard lock(mutex_);
        const auto known = std::ranges::find_if(entries_, [&](const auto& loops) { return is_for(*loops); });
        if (known != entries_.end()) {
            entries_.splice(entries_.begin(), entries_, known);
            return entries_.front();
        }
        entries_.push_front(make());
        if (entries_.size() > most) entries_.pop_back();
        return entries_.front();
    }

private:
    static constexpr std::size_t most = 64;
    std::mutex mutex_;
    std::list<std::shared_ptr<RowLoops>> entries_;
};

Cache& cache() {
    static auto* cache = new Cache;  // never destroyed, as static variables of the user's may outlive it
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
    : pattern_(pattern_of(plan)), target_(target), values_{HostNumbers::of(plan.values.graph)} {}

std::shared_ptr<RowLoops> RowLoops::get(const RowPlan& plan, const TargetRow& target) {
    const RowPlan pattern = pattern_of(plan);
    return cache().get([&](const RowLoops& loops) { return loops.is_for(pattern, target); },
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
    });
}

void RowLoops::compile_values() {
    const Graph& graph = pattern_.values.graph;
    const Halide::Target machine = machine_of(target_);
    NestForm form{.inputs = std::vector<InputForm>(graph.symbols.size()),
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
    sizes_ = NestNotes::of(values_.code.notes()).sizes;
}

RowLoop RowLoops::compiled(const RowPhase& step) const {
    const Graph& graph = step.phase.graph;
    const Signature signature = signature_of(graph);
    const Halide::Target machine = machine_of(target_);
    RowLoop loop{HostNumbers::of(graph)};
    loop.needs_positions = signature.needs_positions;
    LoopTask task{graph,   signature, loop.numbers,
                  target_, machine,   default_schedule(Strategy::rows, machine)};
    for (const RowForm& form : step.forms) task.is_single.push_back(form.is_single);
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
