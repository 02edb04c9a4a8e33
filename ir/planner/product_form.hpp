// SPDX-License-Identifier: MIT
#pragma once
#include "list_analysis.hpp"
#include "repeated_dims.hpp"

#include <optional>
#include <vector>

namespace frisket::planning {

/// Writes the products of a graph in the form that rules for lists look for.
class ProductForm {
public:
    /// Refers to all of them.  `may_be_whole`: of each node of `from`, as list_analysis tells.
    ProductForm(const Graph& from, ir::Rewriter& to, RepeatedDims& repeated,
                const std::vector<bool>& may_be_whole, const TensorSizes& sizes);

    /// The mask that says where a product has a term; `terms`: the mask of its terms.
    NodeId any_term(const Node& product, NodeId terms);
    /// Stands for a product with a mask of terms: parts of that mask which are the same for all terms of an
    /// element are a condition on the product; those which are the same for all terms of a line of a list
    /// restrict the list; a product of lists that says something else by its mask is one with a mask of its
    /// own, and 0 elsewhere, under that mask.  Nothing: a copy.
    std::optional<NodeId> product(NodeId old);

private:
    bool is_list_product(NodeId id) const;
    bool is_tensor(NodeId id) const;
    bool is_readable(NodeId factor, const std::vector<NodeId>& masks) const;
    NodeId zero_outside(NodeId id);
    NodeId masked(NodeId values, NodeId where, NodeId mask, const Node& like);
    std::optional<Node> with_lines_in_list(NodeId old, const std::vector<NodeId>& parts);
    NodeId before_bare(NodeId id) const;
    bool implies(NodeId mask, NodeId part);
    std::optional<NodeId> of_factor_masks(NodeId old, const std::vector<NodeId>& parts);
    bool is_of_line(NodeId part, const Node& product, const Node& matrix);
    Node restricted_product(NodeId old, int list, const std::vector<NodeId>& lines);
    NodeId without_mask(NodeId old);
    NodeId own_mask(NodeId factor);
    void set_terms(Node& product, NodeId terms, const Shape& shape);
    void split(NodeId mask, const Node& product, std::vector<NodeId>& of_elements,
               std::vector<NodeId>& of_terms);
    bool is_of_elements(NodeId made, const Node& product);
    NodeId element(NodeId old, const Node& product);

    const Graph& from_;
    ir::Rewriter& to_;
    RepeatedDims& repeated_;
    const std::vector<bool>& may_be_whole_;
    const TensorSizes& sizes_;
    std::vector<bool> reads_product_;
};

}  // namespace frisket::planning
