// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../at.hpp"
#include "../../../passes/simplify.hpp"
#include "../../../shown_elements.hpp"
#include "../../dense_operand.hpp"
#include "../../list_analysis.hpp"
#include "../../list_spaces.hpp"
#include "../../residual_graph.hpp"
#include "../sampled_factors.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace frisket::planning {

using ir::at;

const RuleInfo rules::sampled_factor{
    .name = "sampled_factor",
    .legal = "a product of dense matrices is read where one list is specified and nowhere else, and that is "
             "less than a quarter of its elements",
    .pros = "its elements are made for the places of the list alone, as values of a list like it",
    .cons = "an element costs about four times as much as one of a whole product",
};

namespace {

/// A factor as rows of terms.  `is_line`: it has one term, or one row.
ValueId rows_of_terms(PlanBuilder& to, ResidualGraph& rest, const Graph& graph, const SeenMatrix& matrix,
                      bool is_transposed, bool is_line) {
    const ValueId stored = rest.add_whole(to, matrix.id);
    // Lines have the same order when they are transposed.
    if (!is_transposed || is_line) return stored;
    const Shape& shape = graph[matrix.id].shape;
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] != 1) dims.push_back(d);
    const ValueId made = to.new_value();
    std::swap(dims.back(), *(dims.end() - 2));
    Node view{.kind = NodeKind::view};
    view.attributes.assign(shape.size() * dims.size(), 0);
    for (std::size_t j = 0; j < dims.size(); ++j) {
        view.shape.push_back(shape[dims[j]]);
        view.attributes[dims[j] * dims.size() + j] = 1;
    }
    to.add(rules::dense_operand,
           ViewStage{.node = std::move(view), .operand = dense_tensor(stored), .made = made});
    return made;
}

/// The plan that makes masks lists.  Nothing if none can be computed at the positions of lists.
std::optional<Plan> plan_unions(const PlanRequest& request, const std::set<NodeId>& masks) {
    const Graph& graph = request.graph;
    for (const IterationSpace& space : spaces_of_lists(request)) {
        const IterationSpaceAnalysis& nodes = lists_over(request, space).nodes();
        std::map<NodeId, ValueId> listed;
        for (const NodeId mask : masks)
            if (graph[mask].shape == space.shape && nodes.lists(mask)) listed.emplace(mask, no_value);
        if (listed.empty()) continue;
        PlanBuilder to(request);
        const ValueId coordinates = add_coordinates(to, request, space);
        for (auto& [mask, made] : listed) made = to.new_value();
        add_lines(to, request, nodes, coordinates, listed);
        ResidualGraph rest(graph, request.operands);
        for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
            const auto found = listed.find(id);
            if (found == listed.end()) {
                rest.keep();
                continue;
            }
            const ValueId made = to.new_value();
            PermuteStage stage{.node = ir::broadcast_view(graph, id, graph[id].shape),
                               .operands = {{.kind = ListOperand::Kind::true_at,
                                             .value = found->second,
                                             .coordinates = coordinates,
                                             .dtype = DType::boolean}},
                               .shapes = {graph[id].shape},
                               .made = made};
            rest.take_list(made, DType::boolean);
            to.add(rules::union_of, std::move(stage), id, rest.last_name());
        }
        rest.finish(to.plan());
        return to.finish();
    }
    return {};
}

/// The plan that restricts products to the places of any of the lists at which they are read.
Plan plan_several(const PlanRequest& request, const std::map<NodeId, std::vector<int>>& products) {
    ir::Rewriter to(request.graph);
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        const auto found = products.find(old);
        if (found == products.end()) return {};
        const Node& node = request.graph[old];
        NodeId places = no_node;
        for (const int list : found->second) {
            Node mask{.kind = NodeKind::mask_of, .dtype = DType::boolean, .symbol = list};
            mask.shape = node.shape;
            const NodeId one = to.add(std::move(mask));
            places = places == no_node ? one
                                       : to.add({.kind = NodeKind::op,
                                                 .op = op_id<op::LogicalOr>,
                                                 .dtype = DType::boolean,
                                                 .operands = {places, one},
                                                 .shape = node.shape});
        }
        const NodeId restricted = to.add({.kind = NodeKind::on,
                                          .dtype = node.dtype,
                                          .operands = {to.add(to.copied(old)), places},
                                          .mask = places,
                                          .shape = node.shape});
        return to.add({.kind = NodeKind::to_dense,
                       .dtype = node.dtype,
                       .operands = {restricted, to.constant(0.0)},
                       .shape = node.shape});
    };
    to.copy_all();
    PlanBuilder plan(request);
    plan.plan().rest = rest_of(to.finish(), request.operands);
    return plan.finish();
}

/// The plan of an expression that reads products of dense matrices only at the positions of lists, below
/// whatever is computed element by element: these elements are made first, and the rest reads them as a list.
/// Cost: linear in the graph.
std::optional<Plan> plan_sampled_factor(const PlanRequest& request) {
    const auto [factors, unions, of_several] = sampled_factors(request);
    if (factors.empty()) {
        std::optional<Plan> plan;
        if (!unions.empty()) plan = plan_unions(request, unions);
        if (!plan && !of_several.empty()) plan = plan_several(request, of_several);
        return plan;
    }
    const Graph& graph = request.graph;
    PlanBuilder to(request);
    ResidualGraph rest(graph, request.operands);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const auto found = factors.find(id);
        if (found == factors.end()) {
            rest.keep();
            continue;
        }
        const auto& [matrices, list] = found->second;
        const auto& terms = matrices.terms;
        const bool has_one = terms[1] == 1;
        SampledProductStage stage{
            .domain = request.operands[at(list)],
            .left = rows_of_terms(to, rest, graph, matrices.left, matrices.left.is_transposed,
                                  has_one || terms[0] == 1),
            .right = rows_of_terms(to, rest, graph, matrices.right, !matrices.right.is_transposed,
                                   has_one || terms[2] == 1),
            .inner = terms[1],
            .is_left_batched = matrices.left.is_batched,
            .is_right_batched = matrices.right.is_batched,
            .dtype = graph[id].dtype,
            .made = to.new_value()};
        rest.take_list(stage.made, stage.dtype, stage.domain);
        to.add(rules::sampled_factor, std::move(stage), id, rest.last_name());
    }
    rest.finish(to.plan());
    if (to.plan().rest) to.plan().rest->graph = ir::simplified(to.plan().rest->graph);
    return to.finish();
}

}  // namespace

PlanRule sampled_factor_plan_rule() {
    return {.order = 2,
            .plan = plan_sampled_factor,
            .rules = {&rules::sampled_factor},
            .kinds = {NodeKind::reduce}};
}

}  // namespace frisket::planning
