// SPDX-License-Identifier: MIT
#include "wanted_loops.hpp"

#include <algorithm>
#include <utility>

#include "../../ir/planner/rules/row_merge.hpp"
#include "../../runtime/kernel/densify.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../loops/body_loops.hpp"
#include "../loops/row_loops.hpp"

namespace frisket::aot {

namespace {

/// The format of each symbol's argument.
std::vector<planning::Format> formats_of_symbols(const Graph& graph, std::span<const Layout> layouts) {
    using Kind = planning::Format::Kind;
    std::vector<planning::Format> formats;
    auto layout = layouts.begin();
    for (const Symbol& symbol : graph.symbols) {
        if (symbol.kind == SymbolKind::masked)
            formats.push_back({Kind::masked, *layout++});
        else
            formats.push_back({is_tensor(symbol.kind) ? Kind::tensor : Kind::number});
    }
    return formats;
}

std::vector<Layout> layouts_of(std::span<const planning::Format> formats) {
    std::vector<Layout> layouts;
    for (const planning::Format& format : formats)
        if (format.is_masked()) layouts.push_back(format.layout);
    return layouts;
}

}  // namespace

bool LoopCollector::add_loop(const Graph& graph, const codegen::Specialization& form) {
    if (!keys_.insert(codegen::loop_key(graph, form).text()).second) return false;
    wanted_.push_back({graph, form});
    return true;
}

void LoopCollector::add_step(const Graph& graph, Strategy strategy, std::vector<bool> is_single) {
    add_loop(graph, {.is_single = std::move(is_single), .schedule = default_schedule(strategy)});
}

void LoopCollector::add_body(const Graph& body, std::span<const planning::ValueForm> given) {
    std::vector<codegen::LoopInput> inputs;
    for (std::size_t i = 0; i < given.size(); ++i) {
        planning::ValueForm form = given[i];
        if (on_device_ && form.format.is_masked())
            form.format.layout = kernel_calls::layout_of_densified_list(form.format.layout);
        inputs.push_back(codegen::unmade_input(form, body.symbols[i], on_device_));
    }
    codegen::BodyLoops loop;
    try {
        loop = codegen::loops_of_body(body, inputs, any_lanes);
    } catch (const ShapeError&) {
        return;  // calls with this number of coordinates are refused
    }
    loop.form.parallel = loop.form.parallel && has_threads_;
    loop.form.serve_any_counts();
    if (!loop.form.panels.empty()) loop.form.panels = codegen::all_panels(loop.pattern.graph);
    loop.form.numbers = loop.pattern.numbers;
    loop.form.not_nan = loop.pattern.not_nan;
    const bool added = add_loop(loop.pattern.graph, loop.form);
    if (loop.pattern.formulas.empty()) return;
    // Extents are among the numbers: loops without formulas serve those that have no loops of their own.
    SamePattern same{.general = codegen::general_pattern_of(loop.walked ? *loop.walked : body),
                     .form = loop.form};
    same.form.numbers = same.general.numbers;
    same.form.not_nan = same.general.not_nan;
    std::string key = codegen::loop_key(same.general.graph, same.form).text();
    same_.try_emplace(std::move(key), std::move(same)).first->second.count += added ? 1 : 0;
}

void LoopCollector::add_pass(const Graph& pass, std::span<const Layout> layouts) {
    const Signature signature = signature_of(pass);
    add_step(pass, Strategy::strided);
    if (!on_device_) {
        std::vector<Layout> walked;
        for (const Layout layout : layouts) walked.push_back(runtime::kernel_layout(layout));
        for (const Strategy strategy : kernel_calls::strategies_for(signature, walked))
            add_step(pass, strategy);
        return;
    }
    for (const Strategy strategy : kernel_calls::default_strategies_on_device(signature, layouts))
        add_step(pass, strategy);
}

void LoopCollector::add_rows(const planning::RowPlan& plan) {
    const planning::RowPlan pattern = codegen::pattern_of(plan);
    if (!pattern.values.graph.results.empty())
        add_loop(pattern.values.graph, codegen::form_of_values(pattern, on_device_, any_lanes));
    for (const planning::RowStage& step : pattern.steps)
        add_step(step.stage.graph, Strategy::rows, codegen::single_symbols(step));
}

void LoopCollector::add(const Graph& graph, std::span<const Layout> layouts, bool has_threads) {
    has_threads_ = has_threads;
    const std::vector<planning::Format> formats = formats_of_symbols(graph, layouts);
    const planning::PlanTaker taker{
        .body = [&](const Graph& body, std::span<const planning::ValueForm> forms) { add_body(body, forms); },
        .pass = [&](const Graph& pass,
                    std::span<const planning::Format> own) { add_pass(pass, layouts_of(own)); },
        .rows = [&](const planning::RowPlan& plan) { add_rows(plan); }};
    const auto scope = on_device_ ? planning::PlanScope::device : planning::PlanScope::ahead;
    if (!graph.results.empty()) {
        planning::enumerate_bodies(graph, formats, scope, taker);
    } else if (graph.shaped) {
        planning::StepPlan plan = planning::plan_step(graph);
        if (on_device_) plan = planning::with_merged_rows(graph, std::move(plan));
        planning::enumerate_step(plan, formats, scope, taker);
    } else {
        add_pass(graph, layouts);
    }
}

WantedLoops LoopCollector::wanted() const {
    WantedLoops all = wanted_;
    for (const auto& [key, same] : same_)
        if (same.count > 1 && !keys_.contains(key)) all.push_back({same.general.graph, same.form});
    return all;
}

}  // namespace frisket::aot
