// SPDX-License-Identifier: MIT
#include "show.hpp"

#include "../codegen/representation.hpp"
#include "../ir/planner/rules/partition.hpp"
#include "../optim/optim.hpp"
#include "../runtime/kernel/kernel_module.hpp"
#include "../runtime/support/joined.hpp"
#include "rule_step.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

namespace frisket::cli {

namespace {

struct ShowSettings {
    RuleSettings rule{.shape = {4096, 64}};
    std::string stage = "graph", strategy;
};

std::string show_examples() {
    std::string text = R"(Examples:
  frisket show adagrad                                    its instructions
  frisket show adam --option amsgrad=true --stage plan    which elements are walked, read and updated
  frisket show adagrad --layout coo --stage loops         the loops over a list of positions
  frisket show sgd --stage asm --strategy skip --target x86-64-avx512

A layout has a loop for each strategy that calls with it may choose; --strategy leaves one.  The target need not be
this machine's.  Steps with norms or means over whole tensors are shown for --shape, as what is computed first and the
elementwise steps after it.

Stages:)";
    for (const codegen::StageInfo& row : codegen::stages)
        text += "\n  " + std::string(row.name) + ": " + std::string(row.is);
    text += "\nSteps:\n ";
    for (const std::string_view name : optim::rule_names()) text += " " + std::string(name);
    return text;
}

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
std::vector<Strategy> strategies_of(const Graph& step, const ShowSettings& settings) {
    const Signature signature = signature_of(step);
    const auto masked = std::ranges::count(signature.parameters, SymbolKind::masked, &Parameter::kind);
    const std::vector<Layout> layouts(static_cast<std::size_t>(masked), parse_layout(settings.rule.layout));
    std::vector<Strategy> legal = kernel::legal_strategies(signature, layouts);
    if (settings.strategy.empty()) return legal;
    legal.push_back(Strategy::strided);  // runs any layout that has strides
    for (const Strategy strategy : legal)
        if (name_of(strategy) == settings.strategy) return {strategy};
    throw ScheduleError("show: " + step.name + " in layout " + settings.rule.layout +
                        " has no loops of strategy \"" + settings.strategy + "\": it has " + names_of(legal));
}

void print(const std::string& title, const std::string& text) {
    std::cout << "--- " << title << "\n" << text << (text.ends_with('\n') ? "" : "\n");
}

void show_loops(const Graph& step, const ShowSettings& settings) {
    const TargetRow& target = find_target({settings.rule.target});
    for (const Strategy strategy : strategies_of(step, settings))
        print(settings.stage + ": " + step.name + ", strategy " + std::string(name_of(strategy)),
              codegen::representation_text(step, representation_of(settings.stage), strategy, target));
}

void check_strategy(const std::string& name) {
    if (name.empty() || std::ranges::find(strategies, name, &StrategyInfo::name) != std::end(strategies))
        return;
    throw ScheduleError("show: there is no strategy \"" + name + "\": there are " +
                        runtime::joined(strategies, &StrategyInfo::name));
}

void show(const ShowSettings& settings) {
    const codegen::Representation stage = representation_of(settings.stage);
    check_strategy(settings.strategy);
    const Graph step = rule_step("show", settings.rule).graph;
    if (stage == codegen::Representation::graph) return print("graph: " + step.name, to_string(step));
    if (!step.shaped) return show_loops(step, settings);
    const plan::Partition phases = plan::partition(step);
    if (!phases.values.graph.results.empty())
        print("first: " + step.name + ", from the tensors as they are before the step",
              to_string(phases.values.graph));
    for (const plan::Stage& phase : phases.steps) show_loops(phase.graph, settings);
}

}  // namespace

void add_show(CLI::App& app) {
    CLI::App* const verb =
        app.add_subcommand("show", "print an optimizer's step at a stage of its way to loops");
    verb->footer(show_examples());
    const auto settings = std::make_shared<ShowSettings>();
    add_rule_options(*verb, settings->rule);
    verb->add_option("--stage", settings->stage, "graph, plan, schedule, loops or asm")
        ->capture_default_str();
    verb->add_option("--strategy", settings->strategy, "this one alone");
    verb->callback([settings] { show(*settings); });
}

}  // namespace frisket::cli
