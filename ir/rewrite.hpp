// SPDX-License-Identifier: MIT
// Copies graphs node by node, with replacements for some nodes.
#pragma once
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "graph.hpp"

namespace frisket::ir {

/// Calls `visit` with each id that a node holds, no_node too: its operands, then its mask.
template <class SomeNode, class Visit>
    requires std::same_as<std::remove_const_t<SomeNode>, Node>
void for_each_id(SomeNode& node, const Visit& visit) {
    for (auto& operand : node.operands) visit(operand);
    visit(node.mask);
}

/// Calls `visit` with each id that a graph holds in addition to its nodes: the ids of updates, of masks that
/// must be equal, of results, of checks and of skips.
template <class SomeGraph, class Visit>
    requires std::same_as<std::remove_const_t<SomeGraph>, Graph>
void for_each_root(SomeGraph& graph, const Visit& visit) {
    for (auto& update : graph.updates) visit(update);
    for (auto& masks : graph.equal_masks)
        for (auto& mask : masks) visit(mask);
    for (auto& result : graph.results) visit(result);
    for (auto& check : graph.checks) {
        visit(check.bad);
        visit(check.elements);
        visit(check.value);
    }
    for (auto& skip : graph.skips) visit(skip);
}

/// Makes a graph of copies of another's nodes, so that other nodes can replace them.  Equal nodes are one.
class Rewriter : public GraphBuilder {
public:
    /// Returns the node that replaces a node of the other graph; nothing: its copy.
    using Rule = std::function<std::optional<NodeId>(NodeId old)>;

    /// Starts with the symbols of `from`; its updates, masks that must be equal, results, checks and skips
    /// keep its ids until copy_all().
    explicit Rewriter(const Graph& from);
    /// Starts with only a name.
    Rewriter(const Graph& from, std::string name);
    Rewriter(Graph&&) = delete;

    Rule rule;

    /// The graph so far.
    Graph& graph() noexcept { return graph_; }
    using GraphBuilder::graph;
    /// Adds a Scalar that `who` brings.  Errors: BindingError if the graph has a symbol of this name.
    NodeId add_scalar(std::string_view name, DType dtype, std::string_view who);
    /// The id of a node's replacement or copy; a node is copied when it is first asked for; no_node for
    /// no_node.
    NodeId copy(NodeId old);
    /// A node with its ids replaced by the new graph's, not added yet.
    Node copied(NodeId old);
    /// Replaces a node that has not been copied by a node of the new graph.
    void replace(NodeId old, NodeId made) { now_[static_cast<std::size_t>(old)] = made; }

    /// Copies all nodes in their order, and sets the graph's references to the copies.
    void copy_all();
    /// The graph without the nodes that nothing reads.
    Graph finish();

private:
    /// Copies a node, and first its operands, without recursion except in rules: chains may be of any length.
    void copy_below(NodeId last);

    static constexpr NodeId not_copied = -2;

    const Graph& from_;
    std::vector<NodeId> now_;   // copy of each node of `from_`
    std::vector<NodeId> open_;  // nodes to copy; those that wait for their operands are negative
};

/// Removes the nodes that nothing reads.
void prune(Graph& graph);
/// Adds to a graph without nodes the nodes of another graph to which it refers, and their operands.
void take_nodes(Graph& part, const Graph& from);
/// A graph of the nodes from which these results are computed: with the symbols of the other one, and no
/// checks.
Graph part_of(const Graph& graph, std::vector<NodeId> results);
/// Makes constants of dense zeros (op::Zero), and removes the nodes that only these read.
void prune_zeros(Graph& graph);
/// Removes the symbols that no node reads; returns the former numbers of the remaining symbols.
std::vector<int> prune_symbols(Graph& graph);

}  // namespace frisket::ir
