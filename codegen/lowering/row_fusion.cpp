// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "row_fusion.hpp"

#include "../../ir/rewrite.hpp"

#include <algorithm>
#include <set>

namespace frisket::codegen {

std::vector<NodeId> conjuncts_of(const Graph& graph, NodeId mask) {
    std::vector<NodeId> found, open{mask};
    std::set<NodeId> seen{no_node};
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        if (!seen.insert(id).second) continue;
        const Node& node = graph[id];
        if (node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>)
            open.insert(open.end(), node.operands.begin(), node.operands.end());
        else
            found.push_back(id);
    }
    return found;
}

RowFusion::RowFusion(const Graph& graph, const Extents& extents, const ReductionGroups& groups,
                     std::span<const NumberPlace> of_call, RowStages stages)
    : graph_(graph), extents_(extents), groups_(groups), of_call_(of_call) {
    if (graph.results.size() != 1 || !graph.checks.empty()) return;
    find_product();
    if (stages == RowStages::apart) return;
    const int rank = static_cast<int>(graph[graph.results[0]].shape.size());
    // The result has rows, or each of its elements is computed from a row.
    if (rank > 1 && find_rows(rank - 1)) return;
    if (rank > 0 && find_rows(rank)) return;
    rank_ = 0;
}

/// Finds the nodes that fuse into a loop over the first `rank` dimensions of the result.  True if that fuses
/// at least two loops.
bool RowFusion::find_rows(int rank) {
    rank_ = rank;
    row_ = extents_.key(graph_.results[0]);
    row_.resize(static_cast<std::size_t>(rank));
    is_whole_.assign(graph_.nodes.size(), false);
    const NodeId result = graph_.results[0];
    do {
        uses_.assign(graph_.nodes.size(), Use::none);
        read(result, true);
        if (graph_[result].mask != no_node) read_alike(result, graph_[result].mask, true);
        for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;)
            if (uses_[static_cast<std::size_t>(id)] != Use::none) read_operands(id);
    } while (unite_groups());
    std::size_t loops = graph_[result].shape.size() > static_cast<std::size_t>(rank) ? 1 : 0;
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id)
        if (contains(id) && info_of(graph_[id].kind).accumulates &&
            (!ReductionGroups::takes(graph_[id]) || groups_.of(id).front() == id))
            ++loops;
    return loops > 1;
}

/// True if the first dimensions of a node are the dimensions of the row, and at most one more follows, or two
/// for nodes between a product and its factors.
bool RowFusion::has_rows(NodeId id) const {
    const std::vector<int> key = extents_.key(id);
    const std::size_t more = graph_[id].kind == NodeKind::view || is_elementwise(graph_[id].kind) ? 2 : 1;
    return key.size() >= row_.size() && key.size() <= row_.size() + more &&
           std::equal(row_.begin(), row_.end(), key.begin());
}

/// True if a node that is read at a row needs its operands only at that row.
bool RowFusion::may_be_of_row(NodeId id) const {
    const Node& node = graph_[id];
    if (is_whole_[static_cast<std::size_t>(id)] || !has_rows(id)) return false;
    if (is_product(node))
        return info_of(node.dtype).is_float && node.attributes == std::vector<std::int64_t>{rank_} &&
               static_cast<int>(node.shape.size()) == rank_ + 1 &&
               has_row_factor(node, 0) != has_row_factor(node, 2);
    if (is_along_dims(node.kind))
        return node.attributes == std::vector<std::int64_t>{rank_} &&
               static_cast<int>(graph_[node.operands[0]].shape.size()) == rank_ + 1;
    return !info_of(node.kind).accumulates;
}

void RowFusion::read(NodeId id, bool is_row) {
    Use& use = uses_[static_cast<std::size_t>(id)];
    if (use != Use::elsewhere) use = is_row && may_be_of_row(id) ? Use::row : Use::elsewhere;
}

/// An operand of the same rank is read at the place of its reader.
void RowFusion::read_alike(NodeId id, NodeId operand, bool is_row) {
    if (operand == no_node || graph_[operand].is_host_scalar) return;
    read(operand, is_row && graph_[operand].shape.size() == graph_[id].shape.size());
}

void RowFusion::read_operands(NodeId id) {
    const Node& node = graph_[id];
    const bool is_row = contains(id);
    if (is_row && is_product(node)) return read_product(id);
    if (info_of(node.kind).accumulates) {
        for (std::size_t i = 1; i < node.operands.size(); ++i)
            read_alike(node.operands[0], node.operands[i], is_row);
        read(node.operands[0], is_row);
    } else if (node.kind == NodeKind::view) {
        read_view(id);
    } else {
        const bool is_alike = is_row && is_elementwise(node.kind);
        for_each_aligned(graph_, node, [&](NodeId operand) { read_alike(id, operand, is_alike); });
    }
}

/// True if a factor has the rows of a product; the other one is read whole.
bool RowFusion::has_row_factor(const Node& node, std::size_t i) const {
    const Shape& shape = graph_[node.operands[i]].shape;
    return static_cast<int>(shape.size()) == rank_ + 2 && shape[static_cast<std::size_t>(rank_) - 1] != 1;
}

void RowFusion::read_product(NodeId id) {
    const Node& node = graph_[id];
    for (const std::size_t i : {0, 2}) read(node.operands[i], has_row_factor(node, i));
    // Loops read the masks that a mask of terms combines.
    const auto rank = static_cast<std::size_t>(rank_);
    for (const NodeId where : conjuncts_of(graph_, node.operands[1])) {
        const Shape& shape = graph_[where].shape;
        read(where, shape.size() == rank + 2 && shape[rank - 1] == node.shape[rank - 1]);
    }
}

bool RowFusion::has_products() const {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id)
        if (id != product_ && contains(id) && is_product(graph_[id])) return true;
    return false;
}

/// The result, its elementwise operands, and so on, up to a product without further readers.
void RowFusion::find_product() {
    std::vector<bool> is_read(graph_.nodes.size(), false), is_at_place = is_read;
    is_at_place[static_cast<std::size_t>(graph_.results[0])] = true;
    const Shape& shape = graph_[graph_.results[0]].shape;
    for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
        const bool is_here = is_at_place[static_cast<std::size_t>(id)] && graph_[id].shape == shape;
        const bool is_float = info_of(graph_[id].dtype).is_float;
        if (is_here && is_float && is_product(graph_[id]) && !is_read[static_cast<std::size_t>(id)])
            product_ = id;
        const bool passes = is_here && is_elementwise(graph_[id].kind);
        const bool is_also_read = !passes || is_read[static_cast<std::size_t>(id)];
        ir::for_each_id(graph_[id], [&](NodeId operand) {
            if (operand == no_node) return;
            if (passes) is_at_place[static_cast<std::size_t>(operand)] = true;
            if (is_also_read) is_read[static_cast<std::size_t>(operand)] = true;
        });
    }
    if (product_ != no_node && is_read[static_cast<std::size_t>(product_)]) product_ = no_node;
}

/// A view that adds, takes or moves dimensions after the row's reads the same row.
void RowFusion::read_view(NodeId id) {
    const Node& node = graph_[id];
    const auto rank = static_cast<int>(node.shape.size());
    bool is_row = contains(id) && node.offsets.empty() && has_rows(node.operands[0]);
    for (int d = 0; is_row && d < rank_; ++d)
        for (int j = 0; j < rank; ++j) {
            const int at = d * rank + j;
            const bool is_known = std::ranges::find(of_call_, NumberPlace{id, at}) == of_call_.end();
            is_row = is_row && is_known && node.attributes[static_cast<std::size_t>(at)] == (j == d ? 1 : 0);
        }
    read(node.operands[0], is_row);
}

/// Reductions of a group are one loop: all are of a row or none; tells if that changed anything.
bool RowFusion::unite_groups() {
    bool changes = false;
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
        if (!ReductionGroups::takes(graph_[id]) || !contains(id)) continue;
        const auto& members = groups_.of(id);
        if (std::ranges::all_of(members, [&](NodeId other) { return contains(other); })) continue;
        for (const NodeId other : members) is_whole_[static_cast<std::size_t>(other)] = true;
        changes = true;
    }
    return changes;
}

}  // namespace frisket::codegen
