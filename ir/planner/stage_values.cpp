// SPDX-License-Identifier: MIT
#include "stage_values.hpp"

#include <map>
#include <set>
#include <span>

#include "../at.hpp"

namespace frisket::planning {

namespace {

class ValuesRead {
public:
    std::vector<ValueId> found;

    void operator()(const CoordinatesStage& stage) { found = stage.operands; }
    void operator()(const BodyStage& stage) {
        add({stage.coordinates});
        for (const BodyOperand& operand : stage.operands) add({operand.value});
    }
    void operator()(const SlicedStage& stage) { found = stage.operands; }
    void operator()(const LocateStage& stage) { add({stage.operand.value, stage.coordinates}); }
    void operator()(const ReduceStage& stage) {
        add({stage.coordinates, stage.x, stage.where, stage.y, stage.mask});
    }
    void operator()(const PermuteStage& stage) {
        add({stage.mask});
        for (const ListOperand& operand : stage.operands) add(operand);
        for (const ValueId index : stage.indices) add({index});
    }
    void operator()(const ViewStage& stage) {
        add(stage.operand);
        add({stage.mask, stage.like});
    }
    void operator()(const MultiplyStage& stage) {
        add({stage.places});
        for (const Factor* factor : {&stage.left, &stage.right}) {
            add(factor->matrix);
            if (factor->mask) add(*factor->mask);
        }
    }
    void operator()(const SampledProductStage& stage) { add({stage.domain, stage.left, stage.right}); }
    void operator()(const SampleStage& stage) { add({stage.domain}); }
    void operator()(const ConvertStage& stage) { add({stage.operand}); }
    void operator()(const GatheredSumStage& stage) { add({stage.table, stage.indices}); }

private:
    void add(std::initializer_list<ValueId> values) {
        for (const ValueId value : values)
            if (value != no_value) found.push_back(value);
    }
    void add(const ListOperand& operand) { add({operand.value, operand.coordinates}); }
};

/// Formats of the results of stages.
class FormatMade {
public:
    explicit FormatMade(std::span<const Format> formats) : formats_(formats) {}

    Format operator()(const ReduceStage&) const { return masked(Layout::coo); }
    Format operator()(const PermuteStage& stage) const { return masked(stage.layout); }
    Format operator()(const ViewStage& stage) const {
        if (stage.like != no_value) return formats_[ir::at(stage.like)];
        return stage.operand.is_list() ? masked(Layout::coo) : Format();
    }
    Format operator()(const MultiplyStage& stage) const {
        const bool has_lines = stage.left.matrix.is_list() && !stage.right.matrix.is_list();
        return masked(has_lines && stage.places == no_value ? Layout::rows : Layout::coo);
    }
    Format operator()(const SampledProductStage& stage) const { return formats_[ir::at(stage.domain)]; }
    Format operator()(const ConvertStage& stage) const {
        return stage.in_line ? Format() : masked(Layout::strided);
    }
    Format operator()(const auto& /*stage*/) const { return {}; }

private:
    static Format masked(Layout layout) { return {Format::Kind::masked, layout}; }
    std::span<const Format> formats_;
};

/// A body over coordinates names the bad elements of all that the planned graph reads.
bool may_report_checks(const StageAction& stage) {
    const auto* const body = std::get_if<BodyStage>(&stage);
    return body != nullptr && body->coordinates != no_value && !body->graph.checks.empty();
}

}  // namespace

std::vector<ValueId> values_read(const StageAction& stage) {
    ValuesRead reads;
    std::visit(reads, stage);
    return std::move(reads.found);
}

std::vector<ValueId> values_made(const StageAction& stage) {
    return std::visit(
        []<class Action>(const Action& action) {
            std::vector<ValueId> made;
            if constexpr (std::is_same_v<Action, BodyStage>)
                for (const BodyResult& result : action.results) made.push_back(result.made);
            else if constexpr (std::is_same_v<Action, SlicedStage>)
                made = action.made;
            else
                made.push_back(action.made);
            if constexpr (std::is_same_v<Action, SampleStage>)
                for (const SampleStage::Index& index : action.indices) made.push_back(index.made);
            return made;
        },
        stage);
}

void add_formats(std::vector<Format>& formats, const Plan& plan) {
    formats.resize(ir::at(plan.value_count));
    for (const PlanStage& stage : plan.stages)
        for (const ValueId made : values_made(stage.action))
            formats[ir::at(made)] = std::visit(FormatMade(formats), stage.action);
}

std::vector<std::vector<ValueId>> values_given_up(const Plan& plan, std::span<const ValueId> operands,
                                                  ValueId arguments) {
    std::set<ValueId> kept(plan.results.begin(), plan.results.end());
    if (plan.rest) kept.insert(plan.rest->operands.begin(), plan.rest->operands.end());
    if (plan.sampled) kept.insert({plan.sampled->domain, plan.sampled->positions});
    std::map<ValueId, std::size_t> last;
    for (const ValueId operand : operands) last[operand] = 0;
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const StageAction& stage = plan.stages[i].action;
        for (const ValueId value : values_read(stage)) last[value] = i;
        for (const ValueId value : values_made(stage)) last[value] = i;
        if (may_report_checks(stage))
            for (const ValueId operand : operands) last[operand] = i;
    }
    std::vector<std::vector<ValueId>> given_up(plan.stages.size());
    for (const auto& [value, stage] : last)
        if (value >= arguments && !kept.contains(value) && stage < given_up.size())
            given_up[stage].push_back(value);
    return given_up;
}

}  // namespace frisket::planning
