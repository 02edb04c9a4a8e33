// SPDX-License-Identifier: MIT
#include "row_loops.hpp"

#include <algorithm>
#include <utility>

#include "../../ir/at.hpp"
#include "compiled_bodies.hpp"

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
    // Rows that are listed are brought together; all other tensors come with any strides.
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

RowLoops::RowLoops(const planning::RowPlan& plan, const LoopProvider& source) : plan_(plan) {
    planning::RowPlan pattern = pattern_of(plan);
    Specialization values = form_of_values(pattern, !source.device().is_cpu(), source.lanes());
    values_ = loops_of({std::move(pattern.values.graph)}, std::move(values), source, "values of listed rows");
    for (planning::RowStage& step : pattern.steps) {
        Specialization form{.is_single = single_symbols(step),
                            .schedule = source.resolved(default_schedule(Strategy::rows))};
        steps_.push_back(loops_of({std::move(step.stage.graph)}, std::move(form), source, "listed rows"));
    }
}

void RowLoops::prepare() {
    if (has_values()) values_->prepare();
    for (const auto& step : steps_) step->prepare();
}

bool RowLoops::is_there() const noexcept {
    return (!has_values() || values_->is_there()) &&
           std::ranges::all_of(steps_, [](const auto& step) { return step->is_there(); });
}

std::vector<int> RowLoops::kernels() const {
    std::vector<int> all{values_->kernels()};
    for (const auto& step : steps_) all.push_back(step->kernels());
    return all;
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

std::size_t RowLoops::bytes_of_values(std::int64_t rows) const {
    const Graph& values = plan_.values.graph;
    std::vector<bool> is_whole(values.nodes.size());
    for (const StoredNode& one : values_->stored()) is_whole[ir::at(one.id)] = true;
    for (std::size_t i = 0; i < values.nodes.size(); ++i) {
        if (!is_product(values.nodes[i])) continue;
        is_whole[i] = true;
        for (const NodeId operand : values.nodes[i].operands)
            if (operand != no_node) is_whole[ir::at(operand)] = true;
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < values.nodes.size(); ++i) bytes += bytes_of(plan_, i, is_whole[i] ? rows : 1);
    return bytes;
}

}  // namespace frisket::codegen
