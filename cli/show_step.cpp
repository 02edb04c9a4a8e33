// SPDX-License-Identifier: MIT
#include "show_step.hpp"

#include "../codegen/representation.hpp"
#include "../ir/planner/rules/partition.hpp"
#include "../runtime/io/file.hpp"
#include "../runtime/kernel/kernel_module.hpp"
#include "../runtime/support/joined.hpp"
#include "../runtime/tensor/masked_tensor.hpp"
#include "show_svg.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

namespace frisket::cli {

namespace {

codegen::Representation representation_of(const std::string& name) {
    const auto* const row = std::ranges::find(codegen::stages, name, &codegen::StageInfo::name);
    if (row != std::end(codegen::stages)) return row->stage;
    throw ValueError("show: there is no stage \"" + name + "\": there are " +
                     runtime::joined(codegen::stages, &codegen::StageInfo::name));
}

std::string names_of(std::span<const Strategy> list) {
    return runtime::joined(list, [](Strategy strategy) { return name_of(strategy); });
}

/// The strategies to show, of those that calls with the layout may choose.
std::vector<Strategy> strategies_of(const Graph& step, const ShowOptions& options) {
    const Signature signature = signature_of(step);
    const auto masked = std::ranges::count(signature.parameters, SymbolKind::masked, &Parameter::kind);
    const std::vector<Layout> layouts(static_cast<std::size_t>(masked), parse_layout(options.layout));
    std::vector<Strategy> legal = kernel_calls::legal_strategies(signature, layouts);
    if (options.strategy.empty()) return legal;
    legal.push_back(Strategy::strided);  // runs any layout that has strides
    for (const Strategy strategy : legal)
        if (name_of(strategy) == options.strategy) return {strategy};
    throw ScheduleError("show: " + step.name + " in layout " + options.layout +
                        " has no loops of strategy \"" + options.strategy + "\": it has " + names_of(legal));
}

void print(const std::string& title, const std::string& text) {
    std::cout << "--- " << title << "\n" << text << (text.ends_with('\n') ? "" : "\n");
}

void show_loops(const Graph& step, const ShowOptions& options) {
    const TargetRow& target = find_target({options.target});
    for (const Strategy strategy : strategies_of(step, options))
        print(options.stage + ": " + step.name + ", strategy " + std::string(name_of(strategy)),
              codegen::representation_text(step, representation_of(options.stage), strategy, target));
}

void check_strategy(const std::string& name) {
    if (name.empty() || std::ranges::find(strategies, name, &StrategyInfo::name) != std::end(strategies))
        return;
    throw ScheduleError("show: there is no strategy \"" + name + "\": there are " +
                        runtime::joined(strategies, &StrategyInfo::name));
}

/// The graph, and for steps without shapes the plan of each strategy, to the file of --svg.
void write_picture(const Graph& step, const ShowOptions& options) {
    std::vector<std::string> lines;
    for (const Strategy strategy : step.shaped ? std::vector<Strategy>() : strategies_of(step, options)) {
        std::istringstream text(codegen::representation_text(step, codegen::Representation::plan, strategy,
                                                             find_target({options.target})));
        for (std::string line; std::getline(text, line);) lines.push_back(line);
    }
    const std::string picture = graph_svg(step, lines);
    runtime::FileWriter file("show", options.svg);
    file.write(picture.data(), picture.size());
    file.replace();
    std::cout << options.svg << "\n";
}

}  // namespace

void show_step(const Graph& step, const ShowOptions& options) {
    const codegen::Representation stage = representation_of(options.stage);
    check_strategy(options.strategy);
    if (!options.svg.empty()) return write_picture(step, options);
    if (stage == codegen::Representation::graph) return print("graph: " + step.name, to_string(step));
    if (!step.shaped) return show_loops(step, options);
    const planning::Partition parts = planning::partition(step);
    if (!parts.values.graph.results.empty())
        print("first: " + step.name + ", from the tensors as they are before the step",
              to_string(parts.values.graph));
    for (const planning::Stage& stage : parts.steps) show_loops(stage.graph, options);
}

}  // namespace frisket::cli
