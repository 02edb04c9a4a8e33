// SPDX-License-Identifier: MIT
// Recognizes products of matrices in graphs.
#pragma once
#include "../graph.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace frisket::planning {

/// True for nodes that products read in the dimensions of their terms: factors, masks, and the nodes that
/// these show or combine.
std::vector<bool> read_as_terms(const Graph& graph);
/// True for the values of a masked tensor, without its mask.
bool is_bare(const Graph& graph, const Node& node);
/// True for a view that shows terms a transposed matrix.
bool shows_transposed_matrix(const Graph& graph, const Node& view);
/// True if two nodes are views, through views, of the same elements of one node.
bool shows_same(const Graph& graph, NodeId a, NodeId b);

/// A matrix, or one for each batch, one after the other, as the terms of a product see it.
struct SeenMatrix {
    NodeId id = no_node;
    bool is_transposed = false;  ///< its last two dimensions are seen the other way round
    bool is_batched = false;     ///< there is one for each batch
    NodeId of_terms = no_node;   ///< in the dimensions of terms
};

/// The matrices that a sum of products multiplies: left(row, k) and right(k, column), or transposed; for each
/// batch.
struct ProductMatrices {
    SeenMatrix left, right;
    Shape terms = {};  ///< rows, k, columns of a batch
    std::int64_t batches = 1;
};

/// The matrices of a product along one of the last three dimensions of its terms, those before which are
/// batches; or of masked matrices, whose dimensions are all of its terms, and a line.  Nothing if it
/// multiplies something else.
std::optional<ProductMatrices> product_matrices(const Graph& graph, const Node& product);
/// Batches of one row, or of one column, which are the rows of one matrix; other products as they are.
ProductMatrices without_single_rows(ProductMatrices product);

/// A product of matrices, at least one of which is a list: the node and its factors.
struct ListProduct {
    NodeId id = no_node;
    ProductMatrices matrices;
    bool is_pattern = false;  ///< it is bool: true where a term is
};

/// The product that a node is, if it is one: the sum of the products of the elements in a row of the left
/// matrix and a column of the right matrix, over the terms whose factors are specified.  Its mask may be any.
std::optional<ListProduct> masked_product(const Graph& graph, NodeId id);
/// Such a product that is specified where it has a term.
std::optional<ListProduct> list_product(const Graph& graph, NodeId id);
/// The product of masks of lists that tells where both have an element of a term; nothing for another node.
std::optional<ListProduct> pattern_product(const Graph& graph, NodeId id);
/// True if a product is specified where any of its terms is, by the mask of its terms.
bool is_any_term(const Graph& graph, const Node& product);
/// True for a mask that expresses this by other nodes.
bool is_any_entry(const Graph& graph, const Node& product);

}  // namespace frisket::planning
