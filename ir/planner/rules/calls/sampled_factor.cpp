// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../../runtime/layouts/layout_traits.hpp"
#include "../../../../runtime/limits.hpp"
#include "../../../at.hpp"
#include "../../../passes/simplify.hpp"
#include "../../../rewrite.hpp"
#include "../../dense_operand.hpp"
#include "../../list_analysis.hpp"
#include "../../residual_graph.hpp"

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

/// Where the elements of nodes are read.
class Demands {
public:
    /// `lists`: the symbols whose places are looked for.
    Demands(const Graph& graph, std::vector<int> lists)
        : graph_(graph), lists_(std::move(lists)), demands_(graph.nodes.size(), nowhere) {
        for (const NodeId id : graph.results) read(id, everywhere);
        for (const Check& check : graph.checks) {
            read(check.bad, everywhere);
            read(check.elements, everywhere);
            read(check.value, everywhere);
        }
        for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) visit(id);
    }

    /// The list at whose places alone a node is read, or -1.
    int list_of(NodeId id) const { return std::max(demands_[at(id)], -1); }

private:
    static constexpr int nowhere = -2, everywhere = -1;

    /// A symbol for all that have its mask.
    int first_with_mask_of(int symbol) const {
        for (const auto& [a, b] : graph_.equal_masks) {
            const int one = graph_[a].symbol, other = graph_[b].symbol;
            if (one == symbol && other >= 0 && is_list(other)) symbol = std::min(symbol, other);
            if (other == symbol && one >= 0 && is_list(one)) symbol = std::min(symbol, one);
        }
        return symbol;
    }
    bool is_list(int symbol) const { return std::ranges::find(lists_, symbol) != lists_.end(); }

    /// The list that is specified wherever a mask is true, or everywhere.
    int list_around(NodeId mask) const {
        if (mask == no_node) return everywhere;
        const Node& node = graph_[mask];
        if (node.kind == NodeKind::mask_of && is_list(node.symbol)) return first_with_mask_of(node.symbol);
        if (node.kind != NodeKind::op || node.op != op_id<op::LogicalAnd>) return everywhere;
        int found = everywhere;
        for (const NodeId operand : node.operands)
            if (graph_[operand].shape == node.shape) found = std::max(found, list_around(operand));
        return found;
    }

    void read(NodeId id, int where) {
        if (id == no_node) return;
        int& demand = demands_[at(id)];
        if (where == nowhere || demand == where) return;
        demand = demand == nowhere ? where : everywhere;
    }
    /// Reads an operand of the node's shape where the node is read and `mask` is true.
    void read(NodeId id, const Node& by, int where, NodeId mask = no_node) {
        if (id == no_node) return;
        const int inside = list_around(mask);
        if (graph_[id].shape != by.shape && element_count(graph_[id].shape) != 1) return read(id, everywhere);
        read(id, where == everywhere && inside != everywhere ? inside : where);
    }

    void visit(NodeId id) {
        const Node& node = graph_[id];
        int where = demands_[at(id)];
        if (where == nowhere) return;
        // Unspecified values are not read.
        if (where == everywhere) where = list_around(node.mask);
        read(node.mask, everywhere);
        if (node.kind == NodeKind::reduce && !is_product(node)) {
            read(node.operands[0], graph_[node.operands[0]], everywhere, node.operands[1]);
            return read(node.operands[1], everywhere);
        }
        if (!is_elementwise(node.kind)) {
            for (const NodeId operand : node.operands) read(operand, everywhere);
            return;
        }
        const bool is_choice = node.kind == NodeKind::op && node.op == op_id<op::Where>;
        for (std::size_t i = 0; i < node.operands.size(); ++i)
            read(node.operands[i], node, where, is_choice && i == 1 ? node.operands[0] : no_node);
    }

    const Graph& graph_;
    const std::vector<int> lists_;
    std::vector<int> demands_;
};

/// The masked arguments whose lists products can be made for.
std::vector<int> lists_of(const PlanRequest& request) {
    std::vector<int> lists;
    for (int i = 0; i < std::ssize(request.facts.formats()); ++i) {
        const Format& format = request.facts[i];
        if (!format.is_masked() || request.graph.symbols[at(i)].shape.size() != 2) continue;
        if (runtime::lists_elements(format.layout)) lists.push_back(i);
    }
    return lists;
}

/// True of each node that reads a masked argument.
std::vector<bool> reading_masked(const Graph& graph) {
    std::vector<bool> reads(graph.nodes.size());
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        reads[at(id)] = node.kind == NodeKind::mask_of || node.mask != no_node;
        ir::for_each_id(node, [&](NodeId operand) {
            if (operand != no_node && reads[at(operand)]) reads[at(id)] = true;
        });
    }
    return reads;
}

/// A product that is made for the places of a list.
struct SampledFactor {
    ProductMatrices matrices;
    int list = 0;  ///< the symbol
};

std::map<NodeId, SampledFactor> sampled_factors(const PlanRequest& request) {
    const Graph& graph = request.graph;
    std::map<NodeId, SampledFactor> found;
    if (std::ranges::none_of(graph.nodes, is_product)) return found;
    std::vector<int> lists = lists_of(request);
    if (lists.empty()) return found;
    const Demands demands(graph, std::move(lists));
    const std::vector<bool> reads_masked = reading_masked(graph);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        if (!is_product(node) || reads_masked[at(id)] || node.operands[1] != no_node) continue;
        const int list = demands.list_of(id);
        const auto matrices = product_matrices(graph, node);
        if (list < 0 || !matrices || graph.symbols[at(list)].shape != node.shape) continue;
        const std::int64_t most = element_count(node.shape) / limits::sampled_factor_cost;
        if (request.facts.is({.kind = PlanTest::Kind::stores_above, .symbol = list, .limit = most})) continue;
        found.emplace(id, SampledFactor{*matrices, list});
    }
    return found;
}

/// A factor as rows of terms.
ValueId rows_of_terms(PlanBuilder& to, const PlanRequest& request, NodeId matrix, bool is_transposed) {
    const ValueId stored = add_dense_operand(to, request, matrix);
    if (!is_transposed) return stored;
    const Shape& shape = request.graph[matrix].shape;
    const ValueId made = to.new_value();
    Node view{.kind = NodeKind::view, .attributes = {0, 1, 1, 0}, .shape = {shape[1], shape[0]}};
    to.add(rules::dense_operand, ViewStage{.node = std::move(view), .operand = stored, .made = made});
    return made;
}

/// The plan of an expression that reads products of dense matrices at the places of a list alone, below
/// whatever is computed element by element: these places are made first, and the rest reads them as a list.
/// Cost: linear in the graph.
std::optional<Plan> plan_sampled_factor(const PlanRequest& request) {
    const std::map<NodeId, SampledFactor> factors = sampled_factors(request);
    if (factors.empty()) return {};
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
        SampledProductStage stage{
            .domain = request.operands[at(list)],
            .left = rows_of_terms(to, request, matrices.left, matrices.is_left_transposed),
            .right = rows_of_terms(to, request, matrices.right, !matrices.is_right_transposed),
            .inner = matrices.terms[1],
            .dtype = graph[id].dtype,
            .made = to.new_value()};
        rest.take_list(stage.made, stage.dtype);
        to.add(rules::sampled_factor, std::move(stage), id, rest.last_name());
    }
    rest.finish(to.plan());
    if (to.plan().rest) to.plan().rest->graph = ir::simplified(to.plan().rest->graph);
    return to.finish();
}

}  // namespace

PlanRule sampled_factor_plan_rule() {
    return {.order = 1, .plan = plan_sampled_factor, .rules = {&rules::sampled_factor}};
}

}  // namespace frisket::planning
