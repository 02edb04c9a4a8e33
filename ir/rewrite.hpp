// SPDX-License-Identifier: MIT
#pragma once
#include <concepts>
#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "graph.hpp"

namespace frisket {

/// Calls `visit` with each id that a node holds, no_node too: its operands, then its mask.
template <class SomeNode, class Visit>
    requires std::same_as<std::remove_const_t<SomeNode>, Node>
void for_each_id(SomeNode& node, const Visit& visit) {
    for (auto& operand : node.operands) visit(operand);
    visit(node.mask);
}

/// Calls `visit` with each id that an update holds: value, mask, seed and step.
template <class SomeUpdate, class Visit>
    requires std::same_as<std::remove_const_t<SomeUpdate>, Update>
void for_each_id(SomeUpdate& update, const Visit& visit) {
    visit(update.value);
    visit(update.mask);
    visit(update.seed);
    visit(update.step);
}

/// Calls `visit` with each id that a graph holds beside its nodes: those of updates, of masks that must be
/// equal, of results and of checks.
template <class SomeGraph, class Visit>
    requires std::same_as<std::remove_const_t<SomeGraph>, Graph>
void for_each_root(SomeGraph& graph, const Visit& visit) {
    for (auto& update : graph.updates) for_each_id(update, visit);
    for (auto& masks : graph.equal_masks)
        for (auto& mask : masks) visit(mask);
    for (auto& result : graph.results) visit(result);
    for (auto& check : graph.checks) {
        visit(check.bad);
        visit(check.elements);
    }
}

/// Copies a graph node by node, so that others can stand in their places.  Equal nodes of the copy are one.
class Rewriter {
public:
    /// Adds what stands for a node; `node` is its copy, whose ids are the new graph's.  Gives its id.
    using Rule = std::function<NodeId(Rewriter& to, NodeId old, Node node)>;

    explicit Rewriter(const Graph& from);

    const Graph& from() const { return from_; }
    const Node& operator[](NodeId id) const { return made_[id]; }
    NodeId add(Node node);
    /// Adds a Scalar that `who` brings.  Errors: BindingError if the graph has a symbol of this name.
    NodeId add_scalar(std::string_view name, DType dtype, std::string_view who);
    /// The id of what stands for a node; no_node for no_node.
    NodeId now(NodeId old) const { return old == no_node ? no_node : now_[static_cast<std::size_t>(old)]; }

    /// Copies all nodes in their order, each by the rule.
    void copy(const Rule& rule);
    /// The copy, whose updates, results and checks are those of what stands for theirs.
    Graph& finish();

private:
    const Graph& from_;
    Graph made_;
    std::vector<NodeId> now_;  // of each node of `from_` that has been copied
};

/// Removes the nodes that nothing reads.
void prune(Graph& graph);
/// Removes the symbols that no node reads; the numbers that the others had.
std::vector<int> prune_symbols(Graph& graph);

}  // namespace frisket
