// SPDX-License-Identifier: MIT
// Finds the lists at whose positions the elements of nodes are read.
#pragma once
#include "planner.hpp"

#include <set>
#include <vector>

namespace frisket::planning {

/// The masked arguments of two dimensions and more that are lists of elements.
std::vector<int> listed_matrices(const PlanRequest& request);

/// Where the elements of nodes are read: everywhere, or where one list, or any of several, is specified and
/// nowhere else.
/// Cost: linear in the graph.
class Demands {
public:
    /// `lists`: the symbols whose positions are looked for.
    Demands(const Graph& graph, std::vector<int> lists);

    /// The list, if a node is read only at its positions; else -1.
    int list_of(NodeId id) const;
    /// The mask, true where any of several lists is, if a node is read only where it is true; else no_node.
    NodeId union_of(NodeId id) const;
    /// The lists, one or several, if a node is read only at their positions; none if it is read elsewhere.
    std::vector<int> lists_of(NodeId id) const;

private:
    static constexpr int nowhere = -2, everywhere = -1;

    bool is_list(int symbol) const;
    int first_with_mask_of(int symbol) const;
    int list_around(NodeId mask) const;
    int list_count() const { return static_cast<int>(graph_.symbols.size()); }
    int set_count() const { return list_count() + static_cast<int>(graph_.nodes.size()); }
    bool is_mask(int where) const { return where >= list_count() && where < set_count(); }
    bool is_set(int where) const { return where >= set_count(); }
    std::set<int> lists_at(int where) const;
    int joined(int a, int b);
    void read(NodeId id, int where);
    void read(NodeId id, const Node& by, int where, NodeId mask = no_node);
    void visit(NodeId id);

    const Graph& graph_;
    const std::vector<int> lists_;
    std::vector<int> demands_;         // lists, or with list_count() added, masks; with set_count(), sets
    std::vector<std::set<int>> sets_;  // sets of lists
};

}  // namespace frisket::planning
