// SPDX-License-Identifier: MIT
#include "enumerate.hpp"

#include "../../runtime/kernel/densify.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../at.hpp"
#include "../interpreter/tensor_kernels.hpp"
#include "body_parts.hpp"
#include "body_stage.hpp"
#include "scattered_results.hpp"
#include "stage_values.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace frisket::planning {

namespace {

using ir::at;

/// Numbers of coordinates for which loops, and plans of the rest, differ: none, one, few, and enough that
/// threads pay and sums have panels.
constexpr std::int64_t coordinate_counts[] = {0, 1, 3, std::int64_t{1} << 18};

/// Number of coordinates of a body without such extents: any.
constexpr std::int64_t any_count = std::numeric_limits<std::int64_t>::max();

bool has_coordinate_extents(const Graph& graph) {
    return std::ranges::any_of(graph.nodes, [](const Node& node) {
        return std::ranges::find(node.shape, coordinate_extent) != node.shape.end();
    });
}

/// The answers to the tests that plans ask, one set after the other.
class AnswerSets {
public:
    bool answer(const PlanTest& test) {
        const auto known = std::ranges::find(known_, test, &KnownFact::test);
        if (known != known_.end()) return known->answer;
        known_.push_back({test, false});
        return false;
    }
    /// Moves to the next set of answers; false after the last.
    bool next() {
        while (!known_.empty() && known_.back().answer) known_.pop_back();
        if (known_.empty()) return false;
        return known_.back().answer = true;
    }

private:
    std::vector<KnownFact> known_;
};

void add(ResultFormats& formats, const Format& format) {
    if (std::ranges::find(formats, format) == formats.end()) formats.push_back(format);
}
void add(std::vector<ResultFormats>& all, const std::vector<ResultFormats>& more) {
    all.resize(std::max(all.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i)
        for (const Format& format : more[i]) add(all[i], format);
}

constexpr Format tensor_format{Format::Kind::tensor};
constexpr Format masked_format(Layout layout) { return {Format::Kind::masked, layout}; }

class BodyEnumerator {
public:
    BodyEnumerator(const PlanTaker& taker, PlanScope scope) : taker_(taker), scope_(scope) {}

    /// All plans of a call.
    std::vector<ResultFormats> call(const Graph& graph, std::vector<ValueForm> operands) {
        std::vector<ResultFormats> results;
        std::vector<Format> formats;
        for (const ValueForm& operand : operands) formats.push_back(operand.format);
        const std::vector<ValueId> ids = argument_values(operands.size());
        AnswerSets answers;
        do {
            const PlanFacts facts(formats, [&](const PlanTest& test) { return answers.answer(test); });
            PlanRequest request{graph, facts, ids, static_cast<ValueId>(ids.size())};
            request.scope = scope_;
            const auto plan = plan_whole_call(request, Branches::enumerated);
            add(results, plan ? run(*plan, operands) : whole(graph, operands));
        } while (answers.next());
        return results;
    }

private:
    using Values = std::vector<ValueForm>;

    /// The bodies of a plan; the formats of its results.
    std::vector<ResultFormats> run(const Plan& plan, Values values) {
        values.resize(at(plan.value_count));
        std::vector<Format> formats;
        for (const ValueForm& value : values) formats.push_back(value.format);
        add_formats(formats, plan);
        for (std::size_t i = 0; i < values.size(); ++i) values[i].format = formats[i];
        for (const PlanStage& stage : plan.stages)
            std::visit([&](const auto& action) { stage_of(action, values); }, stage.action);
        std::vector<ResultFormats> of_rest;
        if (plan.rest) of_rest = rest(*plan.rest, values);
        return results_of(plan, values, of_rest);
    }

    void stage_of(const CoordinatesStage& stage, Values&) { coordinates_[stage.made] = &stage; }
    void stage_of(const BodyStage& stage, Values& values) {
        const bool has_extents = has_coordinate_extents(stage.graph);
        for (const std::int64_t count : coordinate_counts) {
            body_of(stage, with_extent(stage.graph, count), values, has_extents ? count : any_count);
            if (!has_extents) break;
        }
        for (std::size_t i = 0; i < stage.results.size(); ++i) {
            const BodyResult& result = stage.results[i];
            ValueForm& made = values[at(result.made)];
            const Node& node = stage.graph[stage.graph.results[i]];
            if (result.form == ResultForm::placed)
                made.format = masked_format(placed_layout(stage.coordinates, values));
            else if (!has_extents)
                made.view = unmade(node.result_dtype(), node.shape);
        }
    }
    void stage_of(const SlicedStage& stage, Values& values) {
        Values operands;
        for (const ValueId operand : stage.operands) operands.push_back(values[at(operand)]);
        call(stage.graph, std::move(operands));
    }
    void stage_of(const ViewStage& stage, Values& values) {
        if (stage.operand.is_list()) return;
        const ValueForm& from = values[at(stage.operand.value)];
        if (!from.view) return;  // the extents of the operand are a call's
        const Node& node = stage.node;
        values[at(stage.made)].view =
            node.kind == NodeKind::reshape
                ? unmade(node.result_dtype(), node.shape)
                : tensor_kernels::view(*from.view, node.attributes, node.offsets, node.shape);
    }
    void stage_of(const auto& /*stage*/, Values&) {}

    /// The layout of a result that is placed at coordinates.
    Layout placed_layout(ValueId coordinates, const Values& values) const {
        const CoordinatesStage& stage = *coordinates_.at(coordinates);
        if (stage.kind != MergeKind::same_pattern) return Layout::coo;
        for (const ValueId operand : stage.operands)
            if (operand != no_value && values[at(operand)].format.is_list())
                return values[at(operand)].format.layout;
        return Layout::coo;
    }

    /// A body, with and without the masks of operands that may be unspecified at some coordinates.  Bodies
    /// over one coordinate or none have masks.
    void body_of(const BodyStage& stage, const Graph& graph, const Values& values, std::int64_t count) {
        std::vector<std::size_t> lacking;
        std::vector<ValueForm> forms;
        for (std::size_t i = 0; i < stage.operands.size(); ++i) {
            const BodyOperand& operand = stage.operands[i];
            const bool is_whole = operand.symbol == BodyOperand::whole;
            const bool is_masked = graph.symbols[i].kind == SymbolKind::masked;
            if (is_whole)
                forms.push_back(values[at(operand.value)]);
            else
                forms.push_back({is_masked ? masked_format(Layout::dense) : tensor_format});
            if (!is_whole && is_masked && may_lack(stage.coordinates, values)) lacking.push_back(i);
        }
        const auto with_masks = [&](std::span<const std::size_t> symbols) {
            std::vector<ValueForm> masked = forms;
            for (const std::size_t symbol : symbols) masked[symbol].format.layout = Layout::strided;
            body(graph, masked);
        };
        if (lacking.empty() || count > 1) with_masks({});
        if (lacking.empty()) return;
        with_masks(lacking);
        constexpr std::size_t pair = 2;
        if (lacking.size() != pair || count <= 1) return;
        for (const std::size_t& one : lacking) with_masks({&one, 1});
    }

    /// True if a masked operand may be unspecified at some coordinate.
    bool may_lack(ValueId coordinates, const Values& values) const {
        const CoordinatesStage& stage = *coordinates_.at(coordinates);
        if (stage.kind == MergeKind::union_of) return true;
        for (std::size_t i = 0; i < stage.operands.size(); ++i) {
            if (stage.operands[i] == no_value) continue;
            const Format& format = values[at(stage.operands[i])].format;
            if (!format.has_mask()) continue;
            if (!stage.space.has_mask[i]) return true;
            if (stage.kind == MergeKind::same_pattern &&
                runtime::traits_of(format.layout).mask == runtime::MaskForm::padded)
                return true;
        }
        return false;
    }

    std::vector<ResultFormats> whole(const Graph& graph, std::span<const ValueForm> operands) {
        body(graph, operands);
        std::vector<ResultFormats> results;
        for (const NodeId id : graph.results)
            results.push_back({graph[id].mask == no_node ? tensor_format : masked_format(Layout::strided)});
        return results;
    }

    /// A body, or the parts of a long one.
    void body(const Graph& graph, std::span<const ValueForm> operands) {
        const BodyParts parts = parts_of(graph);
        if (parts.parts.empty()) return taker_.body(graph, operands);
        for (const BodyPart& part : parts.parts) {
            std::vector<ValueForm> own;
            for (const int operand : part.operands)
                own.push_back(at(operand) < operands.size() ? operands[at(operand)] : ValueForm());
            taker_.body(part.graph, own);
        }
    }

    std::vector<ResultFormats> rest(const RestOfPlan& rest, const Values& values) {
        if (!rest.branches.empty()) {
            std::vector<ResultFormats> results;
            for (const RestOfPlan& branch : rest.branches) add(results, this->rest(branch, values));
            return results;
        }
        if (!rest.plan.empty()) return run(rest.plan.front(), values);
        Values operands;
        for (const ValueId operand : rest.operands) operands.push_back(values[at(operand)]);
        const bool has_extents = has_coordinate_extents(rest.graph);
        std::vector<ResultFormats> results;
        for (const std::int64_t count : coordinate_counts) {
            const Graph graph = with_extent(rest.graph, count);
            const bool is_body = rest.needs == RestOfPlan::Needs::nothing;
            add(results, is_body ? whole(graph, operands) : call(graph, operands));
            if (!has_extents) break;
        }
        return results;
    }

    static std::vector<ResultFormats> results_of(const Plan& plan, const Values& values,
                                                 std::vector<ResultFormats> of_rest) {
        if (plan.sampled)
            for (std::size_t i = 0; i < of_rest.size(); ++i)
                of_rest[i] = {
                    sampled_format(values[at(plan.sampled->domain)].format, plan.sampled->has_own_mask[i])};
        if (plan.scattered) {
            std::vector<ResultFormats> results;
            for (const auto& result : plan.scattered->results)
                if (const auto* const number = std::get_if<int>(&result))
                    results.push_back(of_rest[at(*number)]);
                else
                    results.push_back(
                        {masked_format(layout_of(std::get<ScatteredResults::Scatters>(result)))});
            return results;
        }
        if (plan.results.empty()) return of_rest;
        std::vector<ResultFormats> results;
        auto other = of_rest.begin();
        for (const ValueId value : plan.results)
            results.push_back(value == no_value ? *other++ : ResultFormats{values[at(value)].format});
        return results;
    }

    /// The format of a result that is put into the layout of a domain.
    static Format sampled_format(const Format& domain, bool has_own_mask) {
        const bool is_part_of_rows = domain.layout == Layout::rows && has_own_mask;
        return masked_format(is_part_of_rows ? Layout::coo : domain.layout);
    }

    const PlanTaker& taker_;
    const PlanScope scope_;
    std::map<ValueId, const CoordinatesStage*> coordinates_;
};

}  // namespace

std::vector<ResultFormats> enumerate_bodies(const Graph& graph, std::span<const Format> formats,
                                            PlanScope scope, const PlanTaker& taker) {
    std::vector<ValueForm> operands;
    for (std::size_t i = 0; i < formats.size(); ++i) {
        ValueForm& operand = operands.emplace_back(ValueForm{formats[i]});
        if (formats[i].kind != Format::Kind::number)
            operand.view = unmade(graph.symbols[i].dtype, graph.symbols[i].shape);
    }
    return BodyEnumerator(taker, scope).call(graph, std::move(operands));
}

namespace {

/// The formats of a stage's arguments, of which those that stages before make can have several.
std::vector<ResultFormats> formats_of_stage(const Stage& stage, std::span<const Format> given,
                                            std::span<const ResultFormats> values) {
    std::vector<ResultFormats> all;
    for (const StageArgument& from : stage.arguments) {
        ResultFormats own{from.is_value ? tensor_format : given[at(from.index)]};
        if (from.is_value) own = values[at(from.index)];
        const bool is_masked = from.is_masked || (from.over >= 0 && given[at(from.over)].has_mask());
        for (Format& format : own) {
            if (from.is_value && !is_masked) format = tensor_format;
            if (from.is_value && is_masked && !format.is_masked()) format = masked_format(Layout::strided);
            if (!from.repeated.empty() && format.has_mask()) format.layout = Layout::strided;
        }
        all.push_back(std::move(own));
    }
    return all;
}

/// Calls a function with each combination of formats.
void for_each_combination(const std::vector<ResultFormats>& all,
                          const std::function<void(std::span<const Format>)>& function) {
    std::vector<std::size_t> chosen(all.size(), 0);
    std::vector<Format> formats(all.size());
    while (true) {
        for (std::size_t i = 0; i < all.size(); ++i) formats[i] = all[i][chosen[i]];
        function(formats);
        std::size_t i = 0;
        while (i < all.size() && ++chosen[i] == all[i].size()) chosen[i++] = 0;
        if (i == all.size()) return;
    }
}

}  // namespace

void enumerate_step(const StepPlan& plan, std::span<const Format> given, PlanScope scope,
                    const PlanTaker& taker) {
    if (plan.row_blocks) taker.rows(*plan.row_blocks);
    std::vector<Format> formats(given.begin(), given.end());
    if (std::ranges::any_of(plan.parts.steps, &Stage::repeats))
        for (Format& format : formats)
            if (format.is_masked()) format.layout = kernel_calls::layout_of_densified_list(format.layout);
    const Stage& first = plan.steps.empty() ? plan.parts.values : plan.gradients;
    std::vector<ResultFormats> values;
    const auto add_bodies = [&](const Stage& stage) {
        for_each_combination(formats_of_stage(stage, formats, values), [&](std::span<const Format> own) {
            std::vector<ResultFormats> made = enumerate_bodies(stage.graph, own, scope, taker);
            if (&stage == &first) values = std::move(made);
        });
    };
    if (!first.graph.results.empty() || !first.graph.checks.empty()) add_bodies(first);
    for (const Stage& skip : plan.parts.skips) add_bodies(skip);
    for (const StepPart& part : plan.steps)
        for_each_combination(formats_of_stage(part.stage, formats, values), [&](std::span<const Format> own) {
            enumerate_step(part.plan, own, scope, taker);
        });
    for (const Stage& pass : plan.parts.steps)
        for_each_combination(formats_of_stage(pass, formats, values),
                             [&](std::span<const Format> own) { taker.pass(pass.graph, own); });
}

}  // namespace frisket::planning
