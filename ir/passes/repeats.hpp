// SPDX-License-Identifier: MIT
// Finds instructions that make equal elements, and writes those that make one of them.
#pragma once
#include "../graph.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace frisket::ir {

/// Number by which index `dim` of the operand grows with index `j` of a view.
std::int64_t& step(Node& view, std::size_t dim, std::size_t j);
std::int64_t step(const Node& view, std::size_t dim, std::size_t j);

/// True for a reduction everywhere of one operand, to a result without a mask.
bool is_plain(const Node& reduction);

/// True for a reduction of a view along which dimensions are repeated that are not needed.
bool is_repeating(const Node& reduction, const Node& seen);

/// Repetition of elements that an instruction is asked for.
enum class Repeats : bool {
    of_shapes,  ///< operands of extent 1
    of_views,   ///< also views of operands that do not vary along a dimension
};

/// The shape to which the operands of an instruction broadcast, shorter than its own where none of them
/// varies.  The instruction's own if it has masks, or only numbers.
Shape shape_of_operands(const Node& node, const Graph& graph, Repeats repeats);

/// True for a node that computes equal elements, of which one is enough.
bool repeats(const Node& node, const Graph& graph);

/// Dimensions of a reduction of a view that repeats elements.
struct DimsOfReduction {
    DimsOfReduction(const Node& reduction, const Node& seen);
    std::vector<std::size_t> left;      ///< dimensions of the operand that stay
    std::vector<std::int64_t> reduced;  ///< reduced dimensions, among the remaining dimensions
    std::vector<bool> is_repeated;      ///< for each dimension of the result
};

/// Dimensions of a reshape of a view that repeats elements, along all of some dimensions of the reshape.
struct DimsOfReshape {
    DimsOfReshape(const Node& reshape, const Node& seen);
    bool repeats = false;           ///< along some of them
    std::vector<std::size_t> left;  ///< dimensions of the operand that stay
    Shape shape;                    ///< the shape of their elements in the result
    std::vector<bool> is_repeated;  ///< for each dimension of the result
};

/// A view at index 0 of some dimensions, which it loses.
Node first_along(const Node& view, std::span<const std::int64_t> dims);
/// A view at index 0 of all dimensions but those that are left.
Node shown_along(const Node& view, const std::vector<std::size_t>& left);
/// A view of node `once`, of shape `own`, that repeats it as a node of the shape and dtype of `like`.
Node repeated_view(NodeId once, const Node& like, const Shape& own, const std::vector<bool>& is_repeated);

}  // namespace frisket::ir
