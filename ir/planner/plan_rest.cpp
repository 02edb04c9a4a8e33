// SPDX-License-Identifier: MIT
#include "../at.hpp"
#include "body_stage.hpp"
#include "planner.hpp"
#include "stage_values.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace frisket::planning {

namespace {

using ir::at;

bool has_symbolic_extents(const Graph& graph) {
    return std::ranges::any_of(graph.symbols, [](const Symbol& symbol) {
        return std::ranges::find(symbol.shape, coordinate_extent) != symbol.shape.end();
    });
}

/// Plans what is left by plans of a call, one after the other.
class RestPlanner {
public:
    RestPlanner(const PlanRequest& request, bool reads_lists) : request_(request), reads_lists_(reads_lists) {
        const std::span<const Format> known = request.facts.formats();
        formats_.resize(at(request.value_count));
        for (std::size_t i = 0; i < known.size(); ++i) formats_[at(request.operands[i])] = known[i];
    }

    void run(Plan& plan) {
        add_formats(plan);
        if (!plan.rest) return;
        RestOfPlan& rest = *plan.rest;
        try {
            std::optional<Plan> next = plan_of(rest, plan.value_count);
            if (!next) return;
            run(*next);
            rest.plan.push_back(*std::move(next));
        } catch (const UnknownFact& unknown) {
            rest.needs = RestOfPlan::Needs::answer;
            rest.test = unknown.test;
        }
    }

private:
    void add_formats(const Plan& plan) {
        formats_.resize(at(plan.value_count));
        for (const PlanStage& stage : plan.stages)
            for (const ValueId made : values_made(stage.action))
                formats_[at(made)] = format_made(stage.action, formats_);
        shared_.insert(plan.shared_indices.begin(), plan.shared_indices.end());
    }

    /// The plan of a rest; none where it is one body or nobody knows yet.
    std::optional<Plan> plan_of(RestOfPlan& rest, ValueId value_count) {
        std::vector<Format> formats;
        for (const ValueId operand : rest.operands) formats.push_back(formats_[at(operand)]);
        const PlanFacts facts(std::move(formats),
                              [&](const PlanTest& test) { return answer(test, rest.operands); });
        const auto planned = [&](const Graph& graph) {
            return plan_call({graph, facts, rest.operands, value_count}, reads_lists_);
        };
        if (has_symbolic_extents(rest.graph)) {
            // Rules compare extents with limits: one body for few and for many elements is one for all.
            constexpr std::int64_t many = std::numeric_limits<std::int32_t>::max();
            const bool is_body =
                !planned(with_extent(rest.graph, 1)) && !planned(with_extent(rest.graph, many));
            rest.needs = is_body ? RestOfPlan::Needs::nothing : RestOfPlan::Needs::extents;
            return {};
        }
        std::optional<Plan> plan = planned(rest.graph);
        rest.needs = RestOfPlan::Needs::nothing;
        return plan;
    }

    /// The answer to a test of a rest's symbols, where their values are arguments of the call.
    bool answer(PlanTest test, const std::vector<ValueId>& operands) const {
        const bool is_of_two = test.kind == PlanTest::Kind::same_pattern;
        const ValueId one = operands[at(test.symbol)],
                      other = is_of_two ? operands[at(test.other)] : no_value;
        if (indices_of(one) == indices_of(other)) return true;
        PlanTest asked = test;
        asked.symbol = symbol_of(one);
        if (is_of_two) asked.other = symbol_of(other);
        if (asked.symbol < 0 || (is_of_two && asked.other < 0)) throw UnknownFact{test};
        return request_.facts.is(asked);
    }

    /// A list with the indices of this one: the list of its mask where they share them.
    ValueId indices_of(ValueId list) const {
        const auto found = shared_.find(list);
        return found == shared_.end() ? list : found->second;
    }

    /// The symbol of the call's graph that reads a value; -1 if none does.
    int symbol_of(ValueId value) const {
        const auto found = std::ranges::find(request_.operands, value);
        return found == request_.operands.end() ? -1 : static_cast<int>(found - request_.operands.begin());
    }

    const PlanRequest& request_;
    const bool reads_lists_;
    std::vector<Format> formats_;        // formats of values by their numbers
    std::map<ValueId, ValueId> shared_;  // lists of masks by lists that share their indices
};

}  // namespace

std::optional<Plan> plan_whole_call(const PlanRequest& request, bool reads_lists) {
    std::optional<Plan> plan = plan_call(request, reads_lists);
    if (plan) RestPlanner(request, reads_lists).run(*plan);
    return plan;
}

}  // namespace frisket::planning
