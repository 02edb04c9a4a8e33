// SPDX-License-Identifier: MIT
#include "full_masks.hpp"

#include "../at.hpp"
#include "../contained_masks.hpp"
#include "../rewrite.hpp"

#include <algorithm>
#include <vector>

namespace frisket::ir {

namespace {

/// Masks of a graph that are true everywhere, each looked at once.
class FullMasks {
public:
    explicit FullMasks(const Graph& graph) : graph_(graph), is_full_(graph.nodes.size()) {
        for (const Node& node : graph.nodes) {
            note(node.mask);
            if (node.kind == NodeKind::updated) note(node.operands[update_operand::where]);
            if (info_of(node.kind).accumulates) note(node.operands[1]);
        }
    }

    bool operator()(NodeId mask) const { return mask != no_node && is_full_[at(mask)]; }
    bool any() const { return std::ranges::find(is_full_, true) != is_full_.end(); }

private:
    void note(NodeId mask) {
        if (mask != no_node && !is_full_[at(mask)]) is_full_[at(mask)] = is_true_everywhere(graph_, mask);
    }

    const Graph& graph_;
    std::vector<bool> is_full_;
};

}  // namespace

Graph without_full_masks(const Graph& step) {
    const FullMasks is_full(step);
    if (!is_full.any()) return step;
    Rewriter to(step);
    to.rule = [&](NodeId old) {
        const Node& node = step[old];
        const bool is_restricted = node.kind == NodeKind::on || node.kind == NodeKind::to_dense;
        if (is_restricted && is_full(node.kind == NodeKind::on ? node.mask : step[node.operands[0]].mask))
            return to.copy(node.operands[0]);
        Node made = to.copied(old);
        const auto drop = [&](std::size_t operand) {
            if (is_full(node.operands[operand])) made.operands[operand] = no_node;
        };
        if (is_full(node.mask)) made.mask = no_node;
        if (node.kind == NodeKind::updated) drop(update_operand::where);
        if (info_of(node.kind).accumulates) drop(1);
        return to.add(std::move(made));
    };
    to.copy_all();
    return to.finish();
}

}  // namespace frisket::ir
