// SPDX-License-Identifier: MIT
#include "factors_first.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"
#include "list_analysis.hpp"

#include <array>
#include <map>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

class FactorsFirst {
public:
    explicit FactorsFirst(Graph graph) : graph_(std::move(graph)), now_(graph_.nodes.size(), no_node) {
        for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
            const Node& node = graph_[id];
            if (!is_product(node) || node.mask == no_node || factors_.contains(node.mask)) continue;
            const NodeId left = node.operands[0], right = node.operands[2];
            if (!is_made_of(graph_, left, node.mask) && !is_made_of(graph_, right, node.mask))
                factors_[node.mask] = {left, right};
        }
    }

    Graph run() {
        nodes_.reserve(graph_.nodes.size());
        ir::for_each_root(graph_, [this](NodeId root) { visit(root); });
        const auto renumber = [this](NodeId& id) { id = id == no_node ? no_node : now_[at(id)]; };
        for (Node& node : nodes_) ir::for_each_id(node, renumber);
        ir::for_each_root(graph_, renumber);
        graph_.nodes = std::move(nodes_);
        return std::move(graph_);
    }

private:
    void visit(NodeId root) {
        if (root != no_node) open_.push_back(root);
        while (!open_.empty()) {
            const NodeId id = open_.back();
            if (const NodeId next = missing(id); next != no_node) {
                open_.push_back(next);
                continue;
            }
            open_.pop_back();
            if (now_[at(id)] != no_node) continue;
            now_[at(id)] = static_cast<NodeId>(nodes_.size());
            nodes_.push_back(std::move(graph_.nodes[at(id)]));
        }
    }

    /// A node that must precede another, and does not yet.
    NodeId missing(NodeId id) const {
        const auto is_missing = [this](NodeId before) {
            return before != no_node && now_[at(before)] == no_node;
        };
        if (const auto found = factors_.find(id); found != factors_.end())
            for (const NodeId factor : found->second)
                if (is_missing(factor)) return factor;
        NodeId first = no_node;
        ir::for_each_id(graph_[id], [&](NodeId operand) {
            if (first == no_node && is_missing(operand)) first = operand;
        });
        return first;
    }

    Graph graph_;
    std::map<NodeId, std::array<NodeId, 2>> factors_;  // factors of the product of a mask
    std::vector<NodeId> now_, open_;
    std::vector<Node> nodes_;
};

}  // namespace

Graph with_factors_first(Graph graph) { return FactorsFirst(std::move(graph)).run(); }

}  // namespace frisket::planning
