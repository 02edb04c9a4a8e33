// SPDX-License-Identifier: MIT
#include "partition_masks.hpp"

#include <algorithm>
#include <optional>

#include "../../at.hpp"

namespace frisket::planning {

using ir::at;

namespace {

/// The mask of a symbol without which a mask is true nowhere; no_node without one.
NodeId symbol_mask(const Graph& step, NodeId mask) {
    if (mask == no_node || step[mask].kind == NodeKind::mask_of) return mask;
    if (step[mask].kind != NodeKind::op || step[mask].op != op_id<op::LogicalAnd>) return no_node;
    const NodeId first = symbol_mask(step, step[mask].operands[0]);
    return first != no_node ? first : symbol_mask(step, step[mask].operands[1]);
}

/// Places at which the elementwise part of a step reads its nodes.
class Reads {
public:
    explicit Reads(const Graph& step) : step_(step), where_(step.nodes.size()) {
        for (const NodeId update : step.updates) add(update, no_node);
        for (const NodeId skip : step.skips) add_skip(step[skip]);
        for (auto id = static_cast<NodeId>(step.nodes.size()); id-- > 0;)
            if (where_[at(id)] && is_elementwise(step[id].kind)) add_operands(id, *where_[at(id)]);
    }

    /// no_node: everywhere, or nowhere.
    NodeId of(NodeId id) const { return where_[at(id)].value_or(no_node); }

private:
    void add_operands(NodeId id, NodeId mask) {
        const Node& node = step_[id];
        if (node.kind == NodeKind::updated) return add_updated(node);
        const NodeId own = symbol_mask(step_, node.mask), here = own != no_node ? own : mask;
        for (const NodeId operand : node.operands) add(operand, here);
        add(node.mask, here);
        if (node.kind != NodeKind::to_dense) return;
        // The mask decides everywhere; the values are read where it is true.
        add(step_[node.operands[0]].mask, mask);
    }

    void add_skip(const Node& node) {
        add(node.operands[0], symbol_mask(step_, node.operands[1]));
        add(node.operands[1], no_node);
    }

    void add_updated(const Node& node) {
        const NodeId where = node.operands[update_operand::where], mask = symbol_mask(step_, where);
        add(node.operands[update_operand::value], mask);
        add(where, mask);
        add(node.operands[update_operand::before], no_node);
    }

    void add(NodeId id, NodeId mask) {
        if (id == no_node) return;
        if (mask != no_node && step_[mask].shape != step_[id].shape) mask = no_node;
        std::optional<NodeId>& known = where_[at(id)];
        known = known && *known != mask ? no_node : mask;
    }

    const Graph& step_;
    std::vector<std::optional<NodeId>> where_;
};

/// True if a node is made element by element from a reduction with the same number of elements.
bool is_product(const Graph& step, NodeId id) {
    const Node& node = step[id];
    if (node.kind == NodeKind::reduce) return true;
    if (node.kind == NodeKind::updated) return false;  // read as it is in memory
    if (node.kind != NodeKind::view && !is_elementwise(node.kind)) return false;
    return std::ranges::any_of(node.operands, [&](NodeId operand) {
        return operand != no_node && element_count(step[operand].shape) == element_count(node.shape) &&
               is_product(step, operand);
    });
}

}  // namespace

std::vector<NodeId> find_sampled_products(const Graph& step) {
    const Reads reads(step);
    std::vector<NodeId> masks;
    for (NodeId id = 0; id < static_cast<NodeId>(step.nodes.size()); ++id) {
        const Node& node = step[id];
        const bool is_sampled = reads.of(id) != no_node && !is_elementwise(node.kind) &&
                                node.mask == no_node && is_product(step, id);
        masks.push_back(is_sampled ? reads.of(id) : no_node);
    }
    return masks;
}

}  // namespace frisket::planning
