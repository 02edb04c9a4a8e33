// SPDX-License-Identifier: MIT
// Groups reductions that one loop can compute.
#pragma once
#include <map>
#include <vector>

#include "extent_analysis.hpp"

namespace frisket::codegen {

/// Reductions that one loop can do: over the same dimensions of tensors whose extents are equal, none of them
/// depends on another.
class ReductionGroups {
public:
    ReductionGroups(const Graph& graph, const Extents& extents);

    /// True for nodes that are in a group: reductions, but those to a position, which take two loops, and
    /// products, which have loops of their own.
    static bool takes(const Node& node) {
        return node.kind == NodeKind::reduce && node.reduction != Reduction::argmin &&
               node.reduction != Reduction::argmax && !is_product(node);
    }
    /// The reductions that go with this one, itself among them.
    const std::vector<NodeId>& of(NodeId id) const { return groups_[group_of_.at(id)]; }

private:
    std::map<NodeId, std::size_t> group_of_;
    std::vector<std::vector<NodeId>> groups_;
};

}  // namespace frisket::codegen
