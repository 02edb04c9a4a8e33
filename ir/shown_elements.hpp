// SPDX-License-Identifier: MIT
// Computes the indices of the elements that views and reshapes read.
#pragma once
#include "graph.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace frisket::ir {

/// An index as a sum: a number, and variables times numbers.
struct Index {
    std::int64_t start = 0;
    /// Variables in ascending order with their numbers, which are not 0.
    std::vector<std::pair<std::size_t, std::int64_t>> terms = {};
    bool operator==(const Index&) const = default;

    bool reads(std::size_t variable) const;
    void add(const Index& other, std::int64_t factor);
};

/// Indices of all elements of a shape that broadcasts to `rank` dimensions, whose indices are the variables.
std::vector<Index> all_of(const Shape& shape, std::size_t rank);
/// Indices of the elements of a tensor of this shape that a view of it shows at some indices.
std::vector<Index> before_view(const std::vector<Index>& indices, const Node& view, const Shape& shape);
/// Indices of a reshape's operand; nothing if it does more than to add and drop extents of 1.
std::optional<std::vector<Index>> before_reshape(const std::vector<Index>& indices, const Node& reshape,
                                                 const Shape& shape);

/// A view without a mask that repeats a node's elements to a shape to which it broadcasts.
Node broadcast_view(const Graph& graph, NodeId id, const Shape& shape);
/// A view of a view, as a view of that view's operand, which has this shape.  It has no offsets only if it
/// shows dimensions whole: loops take the extents of such a view for its operand's extents.
Node composed(const Node& outer, const Node& inner, const Shape& shape);
/// True for a view that shows dimensions whole or not at all.
bool shows_whole_dims(const Node& view);
/// True for a view that shows all elements of its operand, which has this shape, at their own indices.
bool shows_all(const Node& view, const Shape& shape);
/// True for a view that is not the same along a dimension.
bool varies_along(const Node& view, std::size_t dim);

/// True for a reduction along a dimension of its terms.
bool reduces(const Node& reduction, std::size_t dim);
/// The dimensions that a reduction keeps of terms of this rank, in ascending order.
std::vector<std::size_t> kept_dims(const Node& reduction, std::size_t rank);

}  // namespace frisket::ir
