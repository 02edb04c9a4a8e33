// SPDX-License-Identifier: MIT
// Decides which nodes of a graph are computable at the stored elements only.
#pragma once
#include "../../runtime/list_kernels/iteration_space.hpp"
#include "../graph.hpp"
#include "../passes/known_number.hpp"
#include "plan_facts.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// Analysis of the parts of a graph that can be evaluated from only the stored elements of a masked tensor.
namespace frisket::planning {

using list_kernels::IterationSpace;

/// Decides of each node of a graph with shapes if it can be evaluated over an iteration space.
class IterationSpaceAnalysis {
public:
    /// Refers to both.
    IterationSpaceAnalysis(const Graph& graph, const IterationSpace& space);

    /// True if the node, as far as it is needed for listed positions, needs nothing else.
    bool is_computable(NodeId id) const { return found(id).is_computable; }
    /// True if the node has an element, or a row, for each position; else it does not depend on the list.
    bool is_listed(NodeId id) const { return found(id).listed; }
    /// A bool or number that is false or 0 at all other positions.
    bool is_zero_outside(NodeId id) const { return found(id).outside == 0; }
    /// A bool that is true where the list's masks are and nowhere else.
    bool equals_mask(NodeId id) const { return is_zero_outside(id) && found(id).inside; }
    /// True if the node puts several positions together.
    bool mixes_coordinates(NodeId id) const { return found(id).mixes_coordinates; }
    /// True if the node does not work, but is a reduction, a scan or a scatter of single elements that do, to
    /// which other positions add nothing.
    bool reduces(NodeId id) const { return found(id).reduces; }

    /// True if the node can be computed as a list of single elements: a masked value or a bool that is true
    /// only at listed positions, of one element for each.
    bool lists(NodeId id) const;

    const IterationSpace& space() const noexcept { return space_; }
    /// The shape of a listed node for `count` positions.
    Shape shape(NodeId id, std::int64_t count) const;

private:
    static const Shape no_shape;

    struct Found {
        bool is_computable = true;
        bool listed = false;
        ir::KnownNumber outside;  ///< the value at all other positions
        bool inside = false;  ///< true where the masks are
        bool mixes_coordinates = false;
        bool reduces = false;
        const Shape* form = &no_shape;  ///< single elements are listed of a tensor of this shape
    };
    const Found& found(NodeId id) const { return found_[static_cast<std::size_t>(id)]; }
    Found of(NodeId id) const;
    Found of_symbol(const Node& node) const;
    Found of_elementwise(const Node& node) const;
    Found of_reduction(const Node& node) const;
    Found of_scan(const Node& node) const;
    Found of_scatter(const Node& node) const;
    Found of_view(const Node& node) const;
    Found of_reshape(const Node& node) const;
    Node terms_of(const Node& node) const;
    bool fits(const Node& node, const Shape& form) const;
    ir::KnownNumber outside_of_elementwise(const Node& node) const;
    bool inside_of_elementwise(const Node& node) const;
    bool meets(const Node& node, NodeId operand, const Shape& form) const;
    bool is_whole(const Shape& shape) const;

    const Graph& graph_;
    const IterationSpace& space_;
    std::vector<Found> found_;
};

/// True if a view or a reshape has the elements of its operand in their order.
bool keeps_order(const Graph& graph, const Node& node);
/// Returns whether a view shows its operand as an elementwise node of another shape reads it: broadcast.
bool is_broadcast(const Graph& graph, const Node& view);
/// The node before views and reshapes that keep the order of elements.
NodeId before_moves(const Graph& graph, NodeId id);

}  // namespace frisket::planning
