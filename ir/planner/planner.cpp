// SPDX-License-Identifier: MIT
#include "planner.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../at.hpp"
#include "../passes/empty_masks.hpp"
#include "../passes/full_masks.hpp"
#include "../rewrite.hpp"
#include "../shown_elements.hpp"
#include "equal_masks.hpp"
#include "list_form.hpp"
#include "plan_rules.hpp"
#include "restricted_factors.hpp"
#include "rules/listed_gradients.hpp"
#include "stage_values.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace frisket::planning {

namespace {

const std::vector<PlanRule>& plan_rules() {
    return runtime::made_once([] {
        std::vector<PlanRule> found{FRISKET_PLAN_RULES};
        std::ranges::sort(found, {}, &PlanRule::order);
        return found;
    });
}

}  // namespace

std::vector<ValueId> argument_values(std::size_t count) {
    std::vector<ValueId> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

namespace {

/// The orders of rules that are tried.
struct Orders { int first = 0, last = std::numeric_limits<int>::max(); };

std::optional<Plan> plan_by_rules(const PlanRequest& request, Orders orders = {}) {
    const NodeKinds kinds(request.graph);
    for (const PlanRule& rule : plan_rules()) {
        if (rule.order < orders.first || rule.order > orders.last) continue;
        if (!kinds.have_any_of(rule.kinds) || (request.scope == PlanScope::device && !rule.on_devices))
            continue;
        if (auto plan = rule.plan(request)) return plan;
    }
    return {};
}

}  // namespace

namespace {

/// The elements that a view shows, each once.
std::int64_t shown_elements(const Node& view) {
    Shape shown;
    for (std::size_t j = 0; j < view.shape.size(); ++j)
        if (ir::varies_along(view, j)) shown.push_back(view.shape[j]);
    return element_count(shown);
}

/// Adds the known facts about the lists of a call, including lists that a plan has made, to its rest.
void note_lists(Plan& plan, const PlanRequest& request) {
    std::vector<Format> formats(ir::at(request.value_count));
    for (std::size_t i = 0; i < request.operands.size(); ++i)
        formats[ir::at(request.operands[i])] = request.facts.formats()[i];
    add_formats(formats, plan);
    MadeLists made = request.made == nullptr ? MadeLists() : *request.made;
    for (const auto& [list, other] : plan.rest->made.same_indices)
        if (formats[ir::at(list)] == formats[ir::at(other)])
            made.same_indices[list] = indices_of(made, other);
    for (const PlanStage& stage : plan.stages) {
        if (const auto* const product = std::get_if<MultiplyStage>(&stage.action))
            if (!product->left.matrix.is_list() && product->batches == 1 && product->places == no_value)
                made.lines.insert(product->made);
        if (const auto* const view = std::get_if<ViewStage>(&stage.action))
            if (!view->operand.is_list() && view->node.kind == NodeKind::view)
                made.shown.emplace(view->made, shown_elements(view->node));
    }
    plan.rest->made = std::move(made);
}

}  // namespace

ValueId indices_of(const MadeLists& made, ValueId list) {
    for (auto found = made.same_indices.find(list); found != made.same_indices.end();
         found = made.same_indices.find(list))
        list = found->second;
    return list;
}

bool PlanRequest::have_same_places(int symbol, int other) const {
    const Format &one = facts[symbol], &two = facts[other];
    if (one.layout != two.layout) return false;
    const ValueId a = operands[ir::at(symbol)], b = operands[ir::at(other)];
    if (a == b || (made != nullptr && indices_of(*made, a) == indices_of(*made, b))) return true;
    const bool are_known = !is_made(symbol) && !is_made(other);
    return (are_known || runtime::lists_rows(one.layout)) &&
           facts.is({.kind = PlanTest::Kind::same_pattern, .symbol = symbol, .other = other});
}

namespace {

/// The list form of a graph whose products restrict their factors; nothing: it has none of these.
std::optional<Graph> restricted_form(const PlanRequest& request) {
    std::optional<Graph> restricted = with_restricted_factors(request);
    if (!restricted) return {};
    std::optional<Graph> form = list_form(request.with(*restricted));
    return form ? std::move(form) : std::move(restricted);
}

/// False when the restrictions of products exceed a limit: they may not end.
bool may_restrict(const PlanRequest& request) {
    constexpr int most = 32;
    return request.made == nullptr || request.made->restrictions < most;
}

bool may_all_be_whole(const PlanRequest& request) {
    return std::ranges::all_of(may_be_whole(request), [](bool may_be) { return may_be; });
}

/// True if a product has more terms than a loop adds in a second.
bool has_endless_products(const PlanRequest& request) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    return std::ranges::any_of(request.graph.nodes, [&](const Node& node) {
        return is_product(node) && capped_count(reduced_shape(request.graph, node)) > most;
    });
}

std::optional<Plan> plan_by_form(const PlanRequest& request) {
    constexpr Orders of_lists{.last = last_list_rule}, others{.first = last_list_rule + 1};
    std::optional<Graph> equal = with_equal_masks(request);
    std::optional<Graph> form = list_form(equal ? request.with(*equal) : request);
    if (!form) form = std::move(equal);
    const auto formed = [&] { return form ? request.with(*form) : request; };
    std::optional<Plan> plan = plan_by_rules(formed(), of_lists);
    bool is_late = false;
    if (!plan && may_restrict(request) && has_large_products(formed())) {
        PlanRequest late = formed();
        late.makes_few_whole = true;
        plan = plan_by_rules(late, of_lists);
        std::optional<Graph> restricted;
        if (!plan) {
            late.samples_lines = true;
            restricted = restricted_form(late);
            plan = plan_by_rules(restricted ? late.with(*restricted) : late, of_lists);
        }
        is_late = plan.has_value();
        if (plan && restricted) form = std::move(restricted);
    }
    if (!plan && !may_all_be_whole(formed())) {
        PlanRequest viewing = formed();
        viewing.makes_views = true;
        plan = plan_by_rules(viewing, of_lists);
    }
    if (!plan) plan = plan_by_rules(formed(), others);
    if (!plan && has_endless_products(formed())) {
        PlanRequest repeating = formed();
        repeating.repeats_masks = true;
        plan = plan_by_rules(repeating, of_lists);
    }
    if (!plan) return plan;
    const Graph& graph = form ? *form : request.graph;
    if (plan->rest) note_lists(*plan, request);
    if (plan->rest && is_late) ++plan->rest->made.restrictions;
    // Nodes that products no longer read in their terms have another form, and so have sampled nodes.
    if (plan->rest)
        plan->rest->is_in_form =
            !plan->sampled && !plan->rest->has_new_views && std::ranges::none_of(graph.nodes, is_product);
    plan->form = std::move(form);
    return plan;
}

/// The plan of an expression whose lists only had to have the same masks: the rest reads none of them.
std::optional<Plan> plan_without_lists(const PlanRequest& request) {
    if (request.graph.equal_masks.empty()) return {};
    Graph graph = request.graph;
    graph.equal_masks.clear();  // they have been compared
    RestOfPlan rest = rest_of(std::move(graph), request.operands);
    const auto is_list = [&](ValueId operand) {
        const auto symbol = std::ranges::find(request.operands, operand) - request.operands.begin();
        return request.facts[static_cast<int>(symbol)].is_list();
    };
    if (std::ranges::any_of(rest.operands, is_list)) return {};
    PlanBuilder to(request);
    to.plan().rest = std::move(rest);
    return to.finish();
}

}  // namespace

std::optional<Plan> plan_call(const PlanRequest& request) {
    if (request.scope == PlanScope::device || has_empty_tensors(request.graph)) return plan_by_rules(request);
    std::optional<Graph> read = ir::without_unspecified_values(request.graph);
    const PlanRequest reading = read ? request.with(*read) : request;
    const bool has_lists = std::ranges::any_of(request.facts.formats(), &Format::is_list);
    std::optional<Plan> plan = has_lists ? plan_by_form(reading) : plan_by_rules(reading);
    if (!plan && has_lists) plan = plan_without_lists(reading);
    if (!plan && read) {
        PlanBuilder to(request);
        to.plan().rest = rest_of(*std::move(read), request.operands);
        return to.finish();
    }
    if (plan && read && !plan->form) plan->form = std::move(read);
    return plan;
}

RestOfPlan rest_of(Graph graph, std::span<const ValueId> operands) {
    ir::prune(graph);
    RestOfPlan rest{.graph = std::move(graph), .operands = {}};
    for (const int before : ir::prune_symbols(rest.graph)) rest.operands.push_back(operands[ir::at(before)]);
    return rest;
}

StepPlan plan_step(const Graph& given) {
    const Graph step = ir::without_full_masks(given);
    std::optional<GradientParts> split = split_gradients(step);
    StepPlan plan;
    if (!split) {
        plan.parts = partition(step);
        plan.row_blocks = plan_rows(step);
        return plan;
    }
    plan.gradients = std::move(split->first);
    plan.parts.skips = std::move(split->skips);
    for (Stage& stage : split->steps) {
        StepPlan own = plan_step(stage.graph);
        plan.steps.push_back({std::move(stage), std::move(own)});
    }
    return plan;
}

std::vector<const RuleInfo*> rule_table() {
    std::vector<const RuleInfo*> all{&rules::whole};
    for (const PlanRule& rule : plan_rules()) all.insert(all.end(), rule.rules.begin(), rule.rules.end());
    all.insert(all.end(), {&rules::in_place, &rules::row_blocks});
    return all;
}

}  // namespace frisket::planning
