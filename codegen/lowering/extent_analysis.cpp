// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../ir/shown_elements.hpp"
#include "extent_analysis.hpp"

#include <algorithm>

namespace frisket::codegen {

Extents::Extents(const Graph& graph, std::span<const InputForm> inputs) {
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        first_.push_back(static_cast<int>(parent_.size()));
        rank_.push_back(static_cast<int>(graph[id].shape.size()));
        for (int dim = 0; dim < rank_.back(); ++dim) {
            parent_.push_back(static_cast<int>(parent_.size()));
            slots_.push_back({.node = id, .index = dim});
        }
    }
    std::vector<NodeId> of_symbol(graph.symbols.size(), no_node);
    NodeId listed = no_node;
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        if (node.symbol >= 0) {
            NodeId& known = of_symbol[node.symbol];
            if (known != no_node) unite_aligned(graph, id, known);
            known = id;
            const bool is_listed = !inputs.empty() && inputs[static_cast<std::size_t>(node.symbol)].of_list;
            if (is_listed && listed != no_node) unite(id, 0, listed, 0);
            if (is_listed) listed = id;
        }
        if (is_elementwise(node.kind))
            for (const NodeId operand : node.operands) unite_aligned(graph, id, operand);
        if (node.kind == NodeKind::scan) unite_aligned(graph, id, node.operands[0]);
        if (is_recurrence(node)) unite_aligned(graph, id, node.operands[2]);
        if (node.kind == NodeKind::reduce) unite_kept(graph, id);
        if (node.kind == NodeKind::view) unite_seen(graph, id);
    }
}

int Extents::root(int i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
}

void Extents::unite(NodeId a, int dim_a, NodeId b, int dim_b) {
    const int x = root(index(a, dim_a)), y = root(index(b, dim_b));
    parent_[std::max(x, y)] = std::min(x, y);
}

/// Extents of an operand equal the result's, unless they are repeated.
void Extents::unite_aligned(const Graph& graph, NodeId a, NodeId b) {
    if (b == no_node) return;
    const int added = rank_[a] - rank_[b];
    for (int dim = 0; dim < rank_[b]; ++dim)
        if (added + dim >= 0 && graph[b].shape[dim] != 1) unite(a, added + dim, b, dim);
}

/// A dimension of the reduced tensor has the same extent in the result, if it stays, and in all operands that
/// do not repeat it.
void Extents::unite_kept(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    const Shape shape = reduced_shape(graph, node);
    const int rank = static_cast<int>(shape.size());
    for (int dim = 0, kept = 0; dim < rank; ++dim) {
        const bool is_kept = !ir::reduces(node, static_cast<std::size_t>(dim));
        NodeId first = is_kept ? id : no_node;
        int first_dim = kept;
        for (const NodeId x : node.operands) {
            const int own = x == no_node ? -1 : dim - rank + rank_[x];
            if (own < 0 || graph[x].shape[own] != shape[dim]) continue;
            if (first != no_node) unite(first, first_dim, x, own);
            first = x;
            first_dim = own;
        }
        kept += is_kept ? 1 : 0;
    }
}

/// A view without offsets sees dimensions whole.
void Extents::unite_seen(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    if (!node.offsets.empty()) return;
    for (int d = 0; d < rank_[node.operands[0]]; ++d)
        for (int j = 0; j < rank_[id]; ++j)
            if (node.attributes[d * rank_[id] + j] == 1) {
                if (node.shape[j] != graph[node.operands[0]].shape[d])
                    throw Bug("a view without offsets shows a part of a dimension");
                unite(id, j, node.operands[0], d);
            }
}

SizeSlot Extents::representative(NodeId id, int dim) const { return slots_[root(index(id, dim))]; }

std::vector<int> Extents::key(NodeId id) const {
    std::vector<int> key;
    for (int dim = 0; dim < rank_[id]; ++dim) key.push_back(root(index(id, dim)));
    return key;
}

}  // namespace frisket::codegen
