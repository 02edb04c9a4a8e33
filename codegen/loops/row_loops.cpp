// SPDX-License-Identifier: MIT
#include "row_loops.hpp"

#include <algorithm>

#include "../../ir/at.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/show.hpp"

namespace frisket::codegen {

planning::RowPlan pattern_of(planning::RowPlan plan) {
    const auto generalize = [](Shape& shape) {
        for (std::int64_t& extent : shape) extent = extent == 1 ? 1 : 2;
    };
    generalize(plan.shape);
    for (Symbol& symbol : plan.values.graph.symbols) generalize(symbol.shape);
    for (Node& node : plan.values.graph.nodes) {
        generalize(node.shape);
        std::ranges::fill(node.offsets, 0);
    }
    for (planning::RowStage& step : plan.steps) step.length = 0;
    return plan;
}

Specialization form_of_values(const planning::RowPlan& pattern, bool on_device, int lanes) {
    const Graph& graph = pattern.values.graph;
    Specialization form{
        .inputs = std::vector<InputForm>(graph.symbols.size()), .lanes = lanes, .panels = all_panels(graph)};
    // Rows that are listed are brought together; others come with any strides.
    for (std::size_t i = 0; i < graph.symbols.size(); ++i) {
        InputForm& input = form.inputs[i];
        input.values_are_rows = pattern.values_by_row[i];
        if (!on_device) continue;
        input.of_list = pattern.values_by_row[i];
        input.by_list =
            pattern.values_by_row[i] &&
            std::ranges::find(pattern.masked, pattern.values.arguments[i].index) == pattern.masked.end();
    }
    return form;
}

std::vector<bool> single_symbols(const planning::RowStage& step) {
    std::vector<bool> is_single;
    for (const planning::RowForm& form : step.forms) is_single.push_back(form.is_single);
    return is_single;
}

namespace {

bool is_same(const planning::Stage& a, const planning::Stage& b) {
    return a.graph == b.graph && a.arguments == b.arguments;
}

/// Compiled loops over rows of this process.
runtime::LruCache<RowLoops>& all_loops() {
    constexpr std::size_t most = 64, most_bytes = std::size_t{1} << 28;
    return runtime::made_once([] { return runtime::LruCache<RowLoops>(most, most_bytes); });
}

}  // namespace

void RowLoop::run(std::span<const void*> argv, std::span<std::byte> reserve) const {
    LoopContext context;
    context.reserve = reserve;
    const int status = code.call(argv, context);
    if (!device.is_cpu()) code.note_launches(device);
    if (status != 0) throw_failure("a loop over listed rows failed", status, context, device);
}

RowLoops::RowLoops(const planning::RowPlan& plan, const LoopProvider& source)
    : pattern_(pattern_of(plan)),
      source_(source),
      values_{.numbers = ir::ScalarProgram::of(plan.values.graph), .device = source.device()} {}

std::shared_ptr<RowLoops> RowLoops::get(const planning::RowPlan& plan, const LoopProvider& source) {
    const planning::RowPlan pattern = pattern_of(plan);
    return all_loops().get(
        hash(pattern.values.graph), [&](const RowLoops& loops) { return loops.is_for(pattern, source); },
        [&] { return std::make_shared<RowLoops>(plan, source); });
}

bool RowLoops::is_for(const planning::RowPlan& pattern, const LoopProvider& source) const {
    const auto is_same_step = [](const planning::RowStage& a, const planning::RowStage& b) {
        return is_same(a.stage, b.stage) && a.forms == b.forms;
    };
    return &source_ == &source && is_same(pattern_.values, pattern.values) &&
           std::ranges::equal(pattern_.steps, pattern.steps, is_same_step);
}

void RowLoops::prepare() {
    once_.run([this] {
        if (!pattern_.values.graph.results.empty()) compile_values();
        std::vector<RowLoop> steps;  // all or none: what fails is tried again
        for (const planning::RowStage& step : pattern_.steps) steps.push_back(compiled(step));
        steps_ = std::move(steps);
        is_there_ =
            (pattern_.values.graph.results.empty() || values_.code) &&
            std::ranges::all_of(steps_, [](const RowLoop& loop) { return static_cast<bool>(loop.code); });
        std::size_t bytes = values_.code.bytes();
        for (const RowLoop& step : steps_) bytes += step.code.bytes();
        bytes_ = bytes;
    });
}

void RowLoops::compile_values() {
    const Graph& graph = pattern_.values.graph;
    const Specialization form = form_of_values(pattern_, !device().is_cpu(), source_.lanes());
    if (runtime::shows("graph"))
        runtime::show("graph", graph.name + ", values of listed rows", to_string(graph));
    values_.code = source_.loop(
        {graph, values_.numbers, form, "values of listed rows", graph.name + ", values of listed rows"});
    if (!values_.code) return;
    KernelMetadata facts = KernelMetadata::of(values_.code.notes());
    sizes_ = std::move(facts.sizes);
    stored_ = std::move(facts.stored);
    values_.abi = abi_of(graph, values_.numbers, form, sizes_);
}

RowLoop RowLoops::compiled(const planning::RowStage& step) const {
    const Graph& graph = step.stage.graph;
    const Signature signature = signature_of(graph);
    RowLoop loop{.numbers = ir::ScalarProgram::of(graph), .device = device()};
    const Schedule usual = default_schedule(Strategy::rows);
    const Specialization form{.is_single = single_symbols(step), .schedule = source_.resolved(usual)};
    loop.abi = kernel_calls::abi_of(signature, loop.numbers.dtypes(), Strategy::rows, form.is_single);
    loop.code = source_.loop({graph, loop.numbers, form});
    return loop;
}

namespace {

std::size_t bytes_of(const planning::RowPlan& plan, std::size_t node, std::int64_t rows) {
    constexpr std::size_t rounding = 1024;
    const Shape& shape = plan.values.graph.nodes[node].shape;
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < shape.size(); ++d)
        elements *= d == 0 && plan.nodes_by_row[node] ? rows : shape[d];
    return static_cast<std::size_t>(elements) * 2 * sizeof(double) + rounding;
}

}  // namespace

std::size_t RowLoops::bytes_of_values(const planning::RowPlan& plan, std::int64_t rows) const {
    const Graph& values = plan.values.graph;
    std::vector<bool> is_whole(values.nodes.size());
    for (const StoredNode& one : stored_) is_whole[ir::at(one.id)] = true;
    for (std::size_t i = 0; i < values.nodes.size(); ++i) {
        if (!is_product(values.nodes[i])) continue;
        is_whole[i] = true;
        for (const NodeId operand : values.nodes[i].operands)
            if (operand != no_node) is_whole[ir::at(operand)] = true;
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < values.nodes.size(); ++i) bytes += bytes_of(plan, i, is_whole[i] ? rows : 1);
    return bytes;
}

}  // namespace frisket::codegen
