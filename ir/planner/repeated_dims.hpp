// SPDX-License-Identifier: MIT
// Finds dimensions along which nodes repeat their elements, and computes these elements once.
#pragma once
#include "../rewrite.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace frisket::planning {

/// Finds along which dimensions nodes of a graph in the making are the same, and makes them once.
class RepeatedDims {
public:
    /// Refers to the graph.  `dims_of_mask`: a bit for each dimension in which the mask of a symbol differs.
    RepeatedDims(ir::Rewriter& to, std::function<std::uint64_t(int)> dims_of_mask)
        : to_(to), dims_of_mask_(std::move(dims_of_mask)) {}

    /// Keeps a view: it is read as if all of its elements differed.
    void keep(NodeId view);
    /// True if elements of a node differ along a dimension.
    bool varies(NodeId id, std::size_t dim) { return ((dims(id) >> dim) & 1U) != 0; }
    /// True if all elements of a node are the same.
    bool is_same(NodeId id) { return dims(id) == 0; }
    /// True for a tensor without a mask that is the same along a dimension of several elements.
    bool is_repeated(NodeId id);
    /// The node with one element along each dimension in which it is the same.  Shape: it has no mask.
    NodeId once(NodeId id);
    /// A node that was made once, in this shape: its dimension d is `dims[d]` there.
    NodeId repeated(NodeId id, const Shape& shape, const std::vector<std::size_t>& dims);
    /// A node in a shape to which it broadcasts.
    NodeId whole(NodeId id, const Shape& shape);
    /// A node without dimensions in which it has one element: with only the dimensions `left`.
    NodeId with_dims(NodeId id, const std::vector<std::size_t>& left);

    /// The elementwise node that a view shows, with one element along each dimension in which it is the same
    /// and of which the view shows the first element; nothing for other views.
    std::optional<Node> first_shown(const Node& view);

    /// The conjunction of two bools, in the shape to which both broadcast; `b` where `a` is no node.
    NodeId both(NodeId a, NodeId b);
    /// Adds a view without a mask, of the node that views finally show; or returns that node, if it is shown
    /// as it is.
    NodeId view(Node node);

private:
    /// The first element of a node along each dimension in which a shape has one.
    NodeId first_of(NodeId id, const Shape& shape);
    std::uint64_t dims(NodeId id);
    std::uint64_t dims_of(NodeId id) const;
    std::uint64_t dims_at_indices(const Node& node) const;
    std::optional<Node> once_at_indices(Node node, const Shape& whole);
    std::optional<Node> once_of_terms(Node product);

    ir::Rewriter& to_;
    const std::function<std::uint64_t(int)> dims_of_mask_;
    std::vector<std::uint64_t> known_;  // for each node a bit for each dimension in which it differs
    std::set<NodeId> kept_;             // views that were not removed
};

/// A view as one in the dimensions of its operand, of this shape, and one of all of its dimensions; nothing
/// if it is the first, or shows dimensions together.
std::optional<std::pair<Node, Node>> in_own_dims(const Node& view, const Shape& shape);
/// A view of three dimensions and more as one that puts them into the order in which they are shown, and one
/// that adds dimensions of one element; nothing if they are in that order, or are not shown as they are.
std::optional<std::pair<Node, Node>> in_shown_order(const Node& view, const Shape& shape);
/// A view of a tensor as one of its mask.
Node of_mask(Node view, NodeId mask);

}  // namespace frisket::planning
