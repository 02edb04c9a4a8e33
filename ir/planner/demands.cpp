// SPDX-License-Identifier: MIT
#include "demands.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../at.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

std::vector<int> listed_matrices(const PlanRequest& request) {
    std::vector<int> lists;
    for (int i = 0; i < std::ssize(request.facts.formats()); ++i) {
        const Format& format = request.facts[i];
        if (!format.is_masked() || request.graph.symbols[at(i)].shape.size() < 2) continue;
        if (runtime::lists_elements(format.layout)) lists.push_back(i);
    }
    return lists;
}

Demands::Demands(const Graph& graph, std::vector<int> lists)
    : graph_(graph), lists_(std::move(lists)), demands_(graph.nodes.size(), nowhere) {
    for (const NodeId id : graph.results) read(id, everywhere);
    for (const Check& check : graph.checks) {
        read(check.bad, everywhere);
        read(check.elements, everywhere);
        read(check.value, everywhere);
    }
    for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) visit(id);
}

int Demands::list_of(NodeId id) const {
    const int where = demands_[at(id)];
    return where >= 0 && where < list_count() ? where : -1;
}

NodeId Demands::union_of(NodeId id) const {
    const int where = demands_[at(id)];
    return is_mask(where) ? where - list_count() : no_node;
}

std::vector<int> Demands::lists_of(NodeId id) const {
    const std::set<int> lists = lists_at(demands_[at(id)]);
    return {lists.begin(), lists.end()};
}

bool Demands::is_list(int symbol) const { return std::ranges::find(lists_, symbol) != lists_.end(); }

/// A symbol for all that have its mask.
int Demands::first_with_mask_of(int symbol) const {
    for (const auto& [a, b] : graph_.equal_masks) {
        const int one = graph_[a].symbol, other = graph_[b].symbol;
        if (one == symbol && other >= 0 && is_list(other)) symbol = std::min(symbol, other);
        if (other == symbol && one >= 0 && is_list(one)) symbol = std::min(symbol, one);
    }
    return symbol;
}

/// The list, or the mask of several, that is specified wherever a mask is true, or everywhere.
int Demands::list_around(NodeId mask) const {
    if (mask == no_node) return everywhere;
    const Node& node = graph_[mask];
    if (node.kind == NodeKind::mask_of && is_list(node.symbol)) return first_with_mask_of(node.symbol);
    if (node.kind != NodeKind::op) return everywhere;
    const auto around = [&](NodeId operand) {
        return graph_[operand].shape == node.shape ? list_around(operand) : everywhere;
    };
    if (node.op == op_id<op::LogicalOr>) {
        const auto is_around = [&](NodeId operand) { return around(operand) != everywhere; };
        return std::ranges::all_of(node.operands, is_around) ? list_count() + mask : everywhere;
    }
    if (node.op != op_id<op::LogicalAnd>) return everywhere;
    int found = everywhere;
    for (const NodeId operand : node.operands) {
        const int where = around(operand);
        // One list before the union of several.
        if (where != everywhere && (found == everywhere || found >= list_count())) found = where;
    }
    return found;
}

/// The lists of a demand of one list or of several; none for other demands.
std::set<int> Demands::lists_at(int where) const {
    if (is_set(where)) return sets_[at(where - set_count())];
    if (!is_mask(where)) return where >= 0 ? std::set{where} : std::set<int>();
    std::set<int> lists;
    for (const NodeId operand : graph_[where - list_count()].operands)
        lists.merge(lists_at(list_around(operand)));
    return lists;
}

/// The demand of two readers.
int Demands::joined(int a, int b) {
    std::set<int> lists = lists_at(a), others = lists_at(b);
    if (lists.empty() || others.empty()) return everywhere;
    lists.merge(others);
    const auto known = std::ranges::find(sets_, lists);
    const auto number = static_cast<int>(known - sets_.begin());
    if (known == sets_.end()) sets_.push_back(std::move(lists));
    return set_count() + number;
}

void Demands::read(NodeId id, int where) {
    if (id == no_node) return;
    int& demand = demands_[at(id)];
    if (where == nowhere || demand == where) return;
    demand = demand == nowhere ? where : joined(demand, where);
}

/// Reads an operand of the node's shape where the node is read and `mask` is true.
void Demands::read(NodeId id, const Node& by, int where, NodeId mask) {
    if (id == no_node) return;
    if (graph_[id].shape != by.shape && element_count(graph_[id].shape) != 1) return read(id, everywhere);
    const bool has_shape = mask != no_node && graph_[mask].shape == by.shape;
    const int inside = has_shape ? list_around(mask) : everywhere;
    read(id, where == everywhere ? inside : where);
}

void Demands::visit(NodeId id) {
    const Node& node = graph_[id];
    int where = demands_[at(id)];
    if (where == nowhere) return;
    const bool has_shape = node.mask != no_node && graph_[node.mask].shape == node.shape;
    read(node.mask, has_shape ? where : everywhere);
    // Unspecified values are not read.
    if (where == everywhere || is_set(where))
        if (const int around = list_around(node.mask); around != everywhere) where = around;
    if (node.kind == NodeKind::reduce && !is_product(node)) {
        read(node.operands[0], graph_[node.operands[0]], everywhere, node.operands[1]);
        return read(node.operands[1], everywhere);
    }
    if (!is_elementwise(node.kind)) {
        for (const NodeId operand : node.operands) read(operand, everywhere);
        return;
    }
    // One operand of a conjunction is read where the other one is true.
    const bool is_and = node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>;
    const bool is_choice = node.kind == NodeKind::op && node.op == op_id<op::Where>;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
        const bool has_mask = is_and || (is_choice && i == 1);
        read(node.operands[i], node, where, has_mask ? node.operands[is_and ? 1 - i : 0] : no_node);
    }
}

}  // namespace frisket::planning
