// SPDX-License-Identifier: MIT
#include "reached.hpp"

#include "../../codegen/loops/loop_kinds.hpp"
#include "../../ir/planner/planner.hpp"
#include "../../ir/planner/report/report_writer.hpp"

#include <utility>

namespace fuzz {

namespace {

thread_local std::set<std::string> reached;

std::string of_rule(std::string_view name) { return "rule " + std::string(name); }
std::string of_loops(std::string_view name) { return "loops " + std::string(name); }
std::string of_strategy(Strategy strategy) { return "strategy " + std::string(name_of(strategy)); }

}  // namespace

void note_reached(const planning::RunEvents& events) {
    for (const planning::StageReport& stage : planning::report_of("", events).stages) {
        reached.insert(of_rule(stage.rule->name));
        for (const std::string_view loops : stage.loops) reached.insert(of_loops(loops));
    }
}

void note_reached(Strategy strategy) { reached.insert(of_strategy(strategy)); }

std::set<std::string> take_reached() { return std::exchange(reached, {}); }

std::vector<std::string> reachable() {
    std::vector<std::string> names;
    for (const planning::RuleInfo* const rule : planning::rule_table()) names.push_back(of_rule(rule->name));
    for (const auto& [kind, name] : codegen::loop_kinds) names.push_back(of_loops(name));
    for (const StrategyInfo& row : strategies) names.push_back(of_strategy(row.strategy));
    return names;
}

}  // namespace fuzz
