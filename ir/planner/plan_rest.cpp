// SPDX-License-Identifier: MIT
#include "../../runtime/layouts/layout_traits.hpp"
#include "../at.hpp"
#include "body_stage.hpp"
#include "planner.hpp"
#include "stage_values.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace frisket::planning {

namespace {

using ir::at;

bool has_symbolic_extents(const Graph& graph) {
    const auto is_symbolic = [](const auto& one) {
        return std::ranges::find(one.shape, coordinate_extent) != one.shape.end();
    };
    // Where all positions have one value, no symbol has the extent.
    return std::ranges::any_of(graph.symbols, is_symbolic) || std::ranges::any_of(graph.nodes, is_symbolic);
}

/// Plans the rests that plans of a call leave, one after the other.
class RestPlanner {
public:
    RestPlanner(const PlanRequest& request, Branches branches) : request_(request), branches_(branches) {
        const std::span<const Format> known = request.facts.formats();
        formats_.resize(at(request.value_count));
        for (std::size_t i = 0; i < known.size(); ++i) formats_[at(request.operands[i])] = known[i];
    }

    void run(Plan& plan) {
        constexpr int most_plans = 512;
        if (++depth_ > most_plans) throw Bug(request_.graph.name + ": its plan has no end");
        add_formats(formats_, plan);
        if (plan.rest) run(*plan.rest, plan.value_count);
        --depth_;
    }

private:
    struct Assumption {
        PlanTest test;  ///< asked of values, not of symbols
        bool answer = false;
    };

    void run(RestOfPlan& rest, ValueId value_count) {
        if (branches_ == Branches::left_open && may_need_facts(rest)) return;
        try {
            std::optional<Plan> next = plan_of(rest, value_count);
            if (!next) return;
            run(*next);
            rest.plan.push_back(*std::move(next));
        } catch (const UnknownFact& unknown) {
            rest.needs = RestOfPlan::Needs::answer;
            rest.test = unknown.test;
        }
        if (rest.test && branches_ == Branches::enumerated) enumerate(rest, value_count);
    }

    /// Notes that a plan may compare rows that nobody knows yet; true if so.  Cost: nothing is planned.
    bool may_need_facts(RestOfPlan& rest) const {
        if (has_symbolic_extents(rest.graph)) return true;
        for (std::size_t i = 0; i < rest.operands.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                if (!may_be_compared(rest, i, j)) continue;
                const ValueId one = indices_of(rest.made, rest.operands[i]),
                              other = indices_of(rest.made, rest.operands[j]);
                if (one == other || (symbol_of(one) >= 0 && symbol_of(other) >= 0)) continue;
                rest.needs = RestOfPlan::Needs::answer;
                return true;
            }
        return false;
    }

    /// True for two lists of rows of one format: only stages can tell whether these are equal.
    bool may_be_compared(const RestOfPlan& rest, std::size_t i, std::size_t j) const {
        const Format &one = formats_[at(rest.operands[i])], &other = formats_[at(rest.operands[j])];
        return one.is_masked() && runtime::lists_rows(one.layout) && one == other;
    }

    ValueId argument_count() const {
        return request_.argument_count == no_value ? request_.value_count : request_.argument_count;
    }

    void enumerate(RestOfPlan& rest, ValueId value_count) {
        const auto formats = formats_;
        for (const bool yes : {true, false}) {
            formats_ = formats;
            assumed_.push_back({of_values(*rest.test, rest), yes});
            RestOfPlan branch{.graph = rest.graph, .operands = rest.operands, .made = rest.made};
            run(branch, value_count);
            rest.branches.push_back(std::move(branch));
            assumed_.pop_back();
        }
    }

    /// The plan of a rest; none where it is one body or nobody knows yet.
    std::optional<Plan> plan_of(RestOfPlan& rest, ValueId value_count) {
        std::vector<Format> formats;
        for (const ValueId operand : rest.operands) formats.push_back(formats_[at(operand)]);
        const PlanFacts facts(std::move(formats), [&](const PlanTest& test) { return answer(test, rest); });
        const auto planned = [&](const Graph& graph) {
            return plan_call({graph, facts, rest.operands, value_count, argument_count(), rest.is_in_form,
                              &rest.made, request_.scope});
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

    /// A test of symbols, asked of values: where it is only about lists of indices, of these.
    static PlanTest of_values(PlanTest test, const RestOfPlan& rest) {
        test.symbol = rest.operands[at(test.symbol)];
        if (test.kind != PlanTest::Kind::same_pattern) return test;
        test.symbol = indices_of(rest.made, test.symbol);
        test.other = indices_of(rest.made, rest.operands[at(test.other)]);
        return test;
    }

    /// The answer to a test of a rest's symbols, where their values are arguments of the call.
    bool answer(const PlanTest& test, const RestOfPlan& rest) const {
        PlanTest asked = of_values(test, rest);
        if (asked.symbol == asked.other) return true;
        const auto assumed = std::ranges::find(assumed_, asked, &Assumption::test);
        if (assumed != assumed_.end()) return assumed->answer;
        const bool is_of_two = asked.other >= 0;
        asked.symbol = symbol_of(asked.symbol);
        if (is_of_two) asked.other = symbol_of(asked.other);
        if (asked.symbol < 0 || (is_of_two && asked.other < 0)) throw UnknownFact{test};
        return request_.facts.is(asked);
    }

    /// The symbol of the call's graph that reads a value; -1 if none does.
    int symbol_of(ValueId value) const {
        const auto found = std::ranges::find(request_.operands, value);
        return found == request_.operands.end() ? -1 : static_cast<int>(found - request_.operands.begin());
    }

    const PlanRequest& request_;
    const Branches branches_;
    int depth_ = 0;  // plans of rests of plans
    std::vector<Assumption> assumed_;
    std::vector<Format> formats_;  // formats of values by their numbers
};

}  // namespace

std::optional<Plan> plan_whole_call(const PlanRequest& request, Branches branches) {
    std::optional<Plan> plan = plan_call(request);
    if (plan && plan->rest) RestPlanner(request, branches).run(*plan);
    return plan;
}

}  // namespace frisket::planning
