// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../at.hpp"
#include "../../../rewrite.hpp"
#include "../../list_analysis.hpp"
#include "../../residual_graph.hpp"
#include "../scatter_search.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

const RuleInfo rules::scattered_list{
    .name = "scattered_list",
    .legal =
        "a result is what a scatter adds up where it puts something, and it scatters fewer elements than "
        "the result has",
    .pros = "time and memory are those of what is scattered; whole rows are a list of rows",
    .cons = "places are sorted, and elements of one place are added up",
};

namespace {

/// Writes the graph of the operands of scatters, in addition to the other results.
class ScatterPlan {
public:
    explicit ScatterPlan(const PlanRequest& request) : request_(request), rest_(request.graph) {
        rest_.copy_all();
        rest_.graph().results.clear();
    }

    void add_result(NodeId id) { form_.results.emplace_back(number_of(rest_.copy(id))); }

    void add_scatters(const std::vector<const Node*>& scatters, const ScatterSearch& search) {
        ScatteredResults::Scatters made;
        for (const Node* const scatter : scatters)
            made.push_back(listed(*scatter, search.layout_of(*scatter)));
        form_.results.emplace_back(std::move(made));
    }

    Plan finish() {
        PlanBuilder to(request_);
        to.plan().rest = rest_of(std::move(rest_.graph()), request_.operands);
        to.plan().scattered = std::move(form_);
        return to.finish();
    }

private:
    ListedScatter listed(const Node& scatter, Layout layout) {
        ListedScatter result{.node = scatter,
                             .count = element_count(request_.graph[scatter.operands[0]].shape),
                             .layout = layout};
        NodeId values = scatter.operands[0];
        for (; repeats(request_.graph[values]); values = request_.graph[values].operands[0])
            result.views.insert(result.views.begin(), request_.graph[values]);
        for (Node& view : result.views) view.operands.clear();
        // A sum of one element is the sum of 0 and the element: -0 becomes 0.
        result.values = number_of(rest_.apply<op::Add>({rest_.copy(values), zero()}));
        if (scatter.operands[1] != no_node) result.where = number_as(scatter.operands[1], DType::boolean);
        for (std::size_t i = 2; i < scatter.operands.size(); ++i)
            result.indices.push_back(number_as(scatter.operands[i], DType::int64));
        result.node.operands.clear();
        return result;
    }

    /// True for a view that has more elements than its operand.
    bool repeats(const Node& node) const {
        return node.kind == NodeKind::view && node.mask == no_node &&
               element_count(request_.graph[node.operands[0]].shape) < element_count(node.shape);
    }

    NodeId zero() { return rest_.constant(0.0); }

    int number_as(NodeId old, DType dtype) {
        const NodeId id = rest_.copy(old);
        const Node& node = rest_.graph()[id];
        if (node.dtype == dtype && !node.is_host_scalar) return number_of(id);
        return number_of(
            rest_.add({.kind = NodeKind::cast, .dtype = dtype, .operands = {id}, .shape = node.shape}));
    }

    /// The number of a node among the results of the rest, each of which is there once.
    int number_of(NodeId id) {
        std::vector<NodeId>& results = rest_.graph().results;
        const auto found = std::ranges::find(results, id);
        const auto number = static_cast<int>(found - results.begin());
        if (found == results.end()) results.push_back(id);
        return number;
    }

    const PlanRequest& request_;
    ir::Rewriter rest_;
    ScatteredResults form_;
};

/// Returns whether a node scatters tensors into a shape that no tensor holds.
bool scatters_tensors(const PlanRequest& request, NodeId id) {
    const Node& node = request.graph[id];
    const std::vector<bool>& may_be = may_be_whole(request);
    const auto is_whole = [&](NodeId operand) { return operand == no_node || may_be[at(operand)]; };
    if (!is_scatter(node.kind) || may_be[at(id)] || !std::ranges::all_of(node.operands, is_whole))
        return false;
    return ScatterSearch(request.graph).is_listed(node);
}

/// The plan of an expression that reads scatters of tensors into shapes that no tensor holds.  A stage makes
/// each scatter a list.  The rest reads these lists.
/// Cost: linear in the graph.
std::optional<Plan> plan_inner_scatters(const PlanRequest& request) {
    const Graph& graph = request.graph;
    PlanBuilder to(request);
    ResidualGraph rest(graph, request.operands);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        if (!scatters_tensors(request, id)) {
            rest.keep();
            continue;
        }
        const Node& node = graph[id];
        const auto indices = std::span(node.operands).subspan(2);
        PermuteStage stage{.node = node,
                           .operands = {{.value = rest.add_masked(to, node.operands[0], node.operands[1]),
                                         .dtype = graph[node.operands[0]].dtype}},
                           .shapes = {graph[node.operands[0]].shape},
                           .index_shapes = shapes_of(graph, indices)};
        for (const NodeId index : indices) stage.indices.push_back(rest.add_whole(to, index));
        stage.made = to.new_value();
        rest.take_list(stage.made, node.dtype);
        to.add(rules::scattered_list, std::move(stage), id, rest.last_name());
    }
    if (to.plan().stages.empty()) return {};
    rest.finish(to.plan());
    return to.finish();
}

/// The plan of an expression with results that are scatters, as the gradients of tensors are that are read at
/// few positions: they become lists, and nothing of their size is made.  Nothing without such a result.
/// Cost: linear in the graph.
std::optional<Plan> plan_scattered_list(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const ScatterSearch search(graph);
    std::vector<std::vector<const Node*>> scatters;
    for (const NodeId id : graph.results) scatters.push_back(search.scatters_of(id));
    // Elements of a list are scattered by a list kernel.
    const std::vector<bool>& may_be = may_be_whole(request);
    const auto is_whole = [&](const Node* scatter) {
        return std::ranges::all_of(std::span(scatter->operands).first(2),
                                   [&](NodeId operand) { return operand == no_node || may_be[at(operand)]; });
    };
    for (std::vector<const Node*>& found : scatters)
        if (!std::ranges::all_of(found, is_whole)) found.clear();
    if (std::ranges::all_of(scatters, &std::vector<const Node*>::empty)) return plan_inner_scatters(request);
    ScatterPlan plan(request);
    for (std::size_t i = 0; i < scatters.size(); ++i) {
        if (scatters[i].empty())
            plan.add_result(graph.results[i]);
        else
            plan.add_scatters(scatters[i], search);
    }
    return plan.finish();
}

}  // namespace

PlanRule scattered_list_plan_rule() {
    return {.order = 0,
            .plan = plan_scattered_list,
            .rules = {&rules::scattered_list},
            .on_devices = true,
            .kinds = NodeKinds::where(is_scatter)};
}

}  // namespace frisket::planning
