// SPDX-License-Identifier: MIT
#include "sampled_factors.hpp"

#include "../../../runtime/layouts/layout_traits.hpp"
#include "../../../runtime/limits.hpp"
#include "../../at.hpp"
#include "../../rewrite.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

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

}  // namespace

std::map<NodeId, SampledFactor> sampled_factors(const PlanRequest& request) {
    const Graph& graph = request.graph;
    std::map<NodeId, SampledFactor> found;
    if (std::ranges::none_of(graph.nodes, [](const Node& node) { return frisket::is_product(node); }))
        return found;
    std::vector<int> lists = lists_of(request);
    if (lists.empty()) return found;
    const Demands demands(graph, std::move(lists));
    const std::vector<bool> may_be = may_be_whole(request);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        if (!is_product(node) || node.mask != no_node || node.operands[1] != no_node) continue;
        const int list = demands.list_of(id);
        const auto matrices = product_matrices(graph, node);
        if (list < 0 || !matrices || graph.symbols[at(list)].shape != node.shape) continue;
        if (!may_be[at(node.operands[0])] || !may_be[at(node.operands[2])]) continue;
        // A reshape of other extents has no transposition as a view.
        const auto has_lengths = [&](NodeId matrix, Shape lengths, bool is_transposed) {
            if (is_transposed) std::swap(lengths[0], lengths[1]);
            Shape own = graph[matrix].shape;
            std::erase(own, 1);
            std::erase(lengths, 1);
            return own == lengths;
        };
        const Shape& terms = matrices->terms;
        if (!has_lengths(matrices->left, {terms[0], terms[1]}, matrices->is_left_transposed) ||
            !has_lengths(matrices->right, {terms[1], terms[2]}, matrices->is_right_transposed))
            continue;
        const std::int64_t most = element_count(node.shape) / limits::sampled_factor_cost;
        if (request.facts.is({.kind = PlanTest::Kind::stores_above, .symbol = list, .limit = most})) continue;
        found.emplace(id, SampledFactor{*matrices, list});
    }
    return found;
}

}  // namespace frisket::planning
