// SPDX-License-Identifier: MIT
// Rewrites products and their masks to the form that rules for lists match.
#pragma once
#include "list_analysis.hpp"
#include "repeated_dims.hpp"

#include <optional>
#include <vector>

namespace frisket::planning {

/// Writes the products of a graph in the form that rules for lists look for.
class ProductForm {
public:
    /// Refers to all of them.  `may_be_whole`: for each node of `from`, as list_analysis tells.
    ProductForm(const Graph& from, ir::Rewriter& to, RepeatedDims& repeated,
                const std::vector<bool>& may_be_whole, const TensorSizes& sizes);

    /// The mask that is true where a product has a term; `terms`: the mask of its terms.
    NodeId any_term(const Node& product, NodeId terms);
    /// Replaces a product with a mask of terms: parts of that mask which are the same for all terms of an
    /// element are a condition on the product; those which are the same for all terms of a line of a list
    /// restrict the list; a product of lists whose mask has another meaning is a product with a mask of its
    /// own, and 0 elsewhere, under that mask.  Nothing: a copy.
    std::optional<NodeId> product(NodeId old);

    /// Gives a product a mask of terms, in the shape of these, and the mask that is true where it has one.
    void set_terms(Node& product, NodeId terms, const Shape& shape);
    /// Values of the new graph without their mask.
    NodeId bare(NodeId id);
    /// A node of the new graph in some dimensions of terms of a rank, without its mask; it is the same along
    /// the other dimensions.  A dimension that terms do not have has one element.
    NodeId in_dims(NodeId id, const std::vector<std::size_t>& dims, std::size_t rank);
    /// Lines of a masked tensor with their mask, where these are read without it, and then with it.
    std::optional<NodeId> masked_gather(NodeId values, NodeId mask);
    /// Values, 0 outside of their mask, without it.
    NodeId zero_outside(NodeId id);
    /// Values, 0 where `where` is false, under a mask.
    NodeId masked(NodeId values, NodeId where, NodeId mask, const Node& like);
    /// A mask of terms of the new graph that is the same for all terms of an element, as elements see it.
    NodeId element_of(NodeId terms, const Node& product);
    /// The mask of a factor, of which nothing is read where it is false, in the dimensions of the factor;
    /// no_node if it has none.
    NodeId mask_of_factor(NodeId factor);

private:
    std::optional<NodeId> product_of_one_term(NodeId old);
    std::optional<NodeId> with_masked_factor(NodeId old);
    bool is_list_product(NodeId id) const;
    bool is_tensor(NodeId id) const;
    bool is_readable(NodeId factor, const std::vector<NodeId>& masks) const;
    std::optional<Node> with_lines_in_list(NodeId old, const std::vector<NodeId>& parts);
    NodeId before_bare(NodeId id) const;
    bool implies(NodeId mask, NodeId part);
    std::optional<NodeId> of_factor_masks(NodeId old, const std::vector<NodeId>& parts);
    bool is_of_line(NodeId part, const Node& product, const Node& matrix);
    Node restricted_product(NodeId old, int list, const std::vector<NodeId>& lines);
    /// That mask; no_node for a factor that reads another product, a tensor once a stage has made it.
    NodeId own_mask(NodeId factor);
    NodeId without_mask(NodeId old);
    void split(NodeId mask, const Node& product, std::vector<NodeId>& of_elements,
               std::vector<NodeId>& of_terms);
    bool is_of_elements(NodeId made, const Node& product);

    const Graph& from_;
    ir::Rewriter& to_;
    RepeatedDims& repeated_;
    const std::vector<bool>& may_be_whole_;
    const TensorSizes& sizes_;
    std::vector<bool> reads_product_;
};

/// Base class of the rewriters that bring graphs into a form: a rewriter, and the analyses that it reads.
class ListWriter {
protected:
    explicit ListWriter(const PlanRequest& request)
        : from_(request.graph),
          to_(request.graph),
          repeated_(to_, dims_of_masks(request)),
          sizes_(request),
          may_be_whole_(may_be_whole(request)),
          products_(from_, to_, repeated_, may_be_whole_, sizes_) {}

    const Graph& from_;
    ir::Rewriter to_;
    RepeatedDims repeated_;
    const TensorSizes sizes_;
    const std::vector<bool>& may_be_whole_;
    ProductForm products_;
};

}  // namespace frisket::planning
