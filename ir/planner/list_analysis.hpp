// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/list_kernels/permutation.hpp"
#include "iteration_space.hpp"
#include "planner.hpp"

#include <optional>
#include <vector>

namespace frisket::planning {

/// True of each node that reads an argument which is a list.
std::vector<bool> reading_lists(const Graph& graph, const PlanFacts& facts);

/// True if a node is made of another.
bool is_made_of(const Graph& graph, NodeId id, NodeId part);

/// Number of elements, at most 2^63 - 1.
std::int64_t capped_count(const Shape& shape);

/// Tells which tensors may be stored as they are: those that have about as many elements as a dense tensor
/// that is there, or as an extent of a list.  Refers to the request.
class TensorSizes {
public:
    explicit TensorSizes(const PlanRequest& request);

    bool holds(const Shape& shape) const;
    /// True of an argument that may be made a tensor: of one that is none, or is a list of a line, or of rows
    /// that a stage has made, which stand for a product with a dense factor.
    bool holds_argument(int symbol) const;

private:
    bool is_line(const Shape& shape) const;

    const PlanRequest& request_;
    static constexpr std::int64_t longest_line = std::int64_t{1} << 24;
    std::int64_t longest_ = longest_line;  // extent that a line may have
    std::int64_t largest_ = 0;             // elements of the largest tensor
};

/// True of each node that may be made whole: its elements, and those of what is stored for it, are about as
/// many as those of a dense tensor, or as the extents of a list.
std::vector<bool> may_be_whole(const PlanRequest& request);

/// True of nodes that products read in the dimensions of their terms: factors, masks, and what these show and
/// combine.
std::vector<bool> read_as_terms(const Graph& graph);
/// True if two nodes are views, through views, of the same elements of one node.
bool shows_same(const Graph& graph, NodeId a, NodeId b);

/// The nodes of a graph that read lists, over the space of the largest ones.
class ListAnalysis {
public:
    /// Refers to the request and to the space.
    ListAnalysis(const PlanRequest& request, const IterationSpace& space);

    const Graph& graph() const noexcept { return graph_; }
    const IterationSpaceAnalysis& nodes() const noexcept { return nodes_; }

    /// True of a masked argument that is a list, and of the mask of one.
    bool is_list(NodeId id) const;
    /// True of a list that is specified where it stores something.  What a stage moved may list more than is
    /// specified: then its mask is that of another list.
    bool is_list_with_its_mask(NodeId id) const;
    /// True of a node that reads no list.
    bool reads_no_list(NodeId id) const { return !reads_list_[static_cast<std::size_t>(id)]; }
    /// True of a tensor without a mask that reads no list.
    bool is_dense(NodeId id) const { return reads_no_list(id) && graph_[id].mask == no_node; }

private:
    const Graph& graph_;
    const PlanFacts& facts_;
    IterationSpaceAnalysis nodes_;
    std::vector<bool> reads_list_;  // entry of each node
};

/// A view as kernels of lists read it.  Refers to the node.
inline list_kernels::ElementView element_view(const Node& view) {
    return {.shape = view.shape, .coefficients = view.attributes, .offsets = view.offsets};
}

/// A gather as kernels of lists read it.  Refers to the node and to the shape of its operand.
inline list_kernels::ElementGather gather_of(const Node& gather, const Shape& from,
                                             std::vector<Shape> indices) {
    return {
        .from = from, .shape = gather.shape, .attributes = gather.attributes, .indices = std::move(indices)};
}

std::vector<Shape> shapes_of(const Graph& graph, std::span<const NodeId> ids);

/// True if a gather reads a list, if its operand is one, by dense indices that a kernel of lists follows.
bool is_list_gather(const ListAnalysis& lists, const Node& gather);

/// The layout of a list that a node moves, of lists in a layout that all have: csr and csc stay as they are
/// if rows stay rows; else coo.
Layout moved_layout(const Node& move, Layout layout);

/// The matrices that a sum of products multiplies: left(row, k) and right(k, column), or as they are
/// transposed.
struct ProductMatrices {
    NodeId left = no_node, right = no_node;
    bool is_left_transposed = false, is_right_transposed = false;
    Shape terms = {};  ///< rows, k, columns
    NodeId left_of_terms = no_node,
           right_of_terms = no_node;  ///< both in three dimensions, as terms see them
};

/// The matrices of a product along one dimension; nothing if it multiplies something else.
std::optional<ProductMatrices> product_matrices(const Graph& graph, const Node& product);

/// A product of two matrices, at least one of which is a list: the node and what it multiplies.
struct ListProduct {
    NodeId id = no_node;
    ProductMatrices matrices;
};

/// The product that a node is, if it is one: the sum of the products of what stands in a row of the left
/// matrix and a column of the right one, over the terms whose factors are specified.  Its mask may be any.
std::optional<ListProduct> masked_product(const Graph& graph, NodeId id);
/// Such a product that is specified where it has a term.
std::optional<ListProduct> list_product(const Graph& graph, NodeId id);
/// True if a product is specified where any of its terms is, by the mask of its terms.
bool is_any_term(const Graph& graph, const Node& product);
/// True of a mask that says so by other nodes.
bool is_any_entry(const Graph& graph, const Node& product);

}  // namespace frisket::planning
