// SPDX-License-Identifier: MIT
// Plans the elements of nodes at the coordinates of lists, which list kernels read.
#pragma once
#include "node_actions.hpp"

#include <map>
#include <set>
#include <vector>

namespace frisket::planning {

/// The elements of nodes at the positions of a space of lists: stages make them for list kernels, and
/// elements that the rest of a plan reads are made once.
class ListedElements {
public:
    /// Adds the stages that make them.  Refers to all.
    ListedElements(const PlanRequest& request, const IterationSpace& space, const ListAnalysis& lists,
                   const NodeActions& actions, PlanBuilder& to);

    ValueId coordinates() const noexcept { return coordinates_; }
    /// The values of a node in line.
    ValueId in_line(NodeId id) const { return in_line_.at(id); }
    /// The values of a node as a list kernel reads them.
    ListOperand operand(NodeId id) const;

    /// True for a node that the rest reads as a masked tensor.
    bool is_shared(NodeId id) const { return shared_.contains(id); }
    /// A node as a masked tensor: with the indices of the lists of the space, if these have the indices of
    /// one.
    ValueId masked(NodeId id);
    /// The list whose indices such tensors have, or no_value.
    ValueId indices() const;

    /// True for a node that `masked` returns by rows.
    bool is_by_rows(NodeId id) const;
    /// True for such a node whose mask is the mask of a list of the space.
    bool has_mask_of_space(NodeId id) const;

private:
    bool is_stored(const Node& node) const;
    void make(const std::set<NodeId>& ids, const IterationSpaceAnalysis& nodes);
    void share(const std::vector<NodeId>& ids, const IterationSpaceAnalysis& nodes,
               const NodeActions& actions);
    std::vector<bool> made_of_nodes(const std::vector<NodeId>& ids) const;
    std::vector<bool> more_to_make_than_to_read() const;
    bool are_lists(Layout layout) const;
    int one_list() const;
    ValueId indices_of_list(int symbol) const;

    const PlanRequest& request_;
    const Graph& graph_;
    const IterationSpace& space_;
    PlanBuilder& to_;
    const int one_list_;      // a symbol: all lists have its indices, and no position twice; -1: none
    const bool are_by_rows_;  // it is csr, and so are all lists
    ValueId coordinates_ = no_value;
    std::map<NodeId, ValueId> in_line_;
    std::set<NodeId> shared_;
    std::map<NodeId, ValueId> masked_;
};

}  // namespace frisket::planning
