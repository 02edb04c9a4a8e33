// SPDX-License-Identifier: MIT
// Finds scatters in a graph, and the layouts of their lists.
#pragma once
#include "../../../runtime/tensor/masked_tensor.hpp"
#include "../../graph.hpp"

#include <cstddef>
#include <vector>

namespace frisket::planning {

/// Recognises scatters, as gradients of tensors are that are read at few positions, and the forms that they
/// have as lists.  Refers to the graph.
class ScatterSearch {
public:
    explicit ScatterSearch(const Graph& graph) : graph_(graph) {}

    /// The scatters whose union a masked node is; none if it is no such node, or has no more elements than
    /// they scatter.
    std::vector<const Node*> scatters_of(NodeId node) const;
    /// True for a scatter of a tensor, or of where it puts something, that a list can be.
    bool is_listed(const Node& scatter) const;
    /// Rows, if whole rows are scattered.
    Layout layout_of(const Node& scatter) const;

private:
    const Node* scatter_of(NodeId id) const;
    bool is_where_it_puts(const Node& any, const Node& sum) const;
    bool is_coordinate(const Node& scatter, std::size_t dim, std::size_t of) const;
    bool is_alike_from(NodeId id, const Shape& shape, std::size_t first) const;

    const Graph& graph_;
};

}  // namespace frisket::planning
