// SPDX-License-Identifier: MIT
#include "restricted_factors.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"
#include "../shown_elements.hpp"
#include "list_analysis.hpp"
#include "list_products.hpp"
#include "product_dims.hpp"
#include "product_form.hpp"
#include "repeated_dims.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

/// True for a number of terms for which several masks say something.
bool is_count(const Graph& graph, const Node& node) {
    if (node.kind != NodeKind::reduce || node.reduction != Reduction::sum || is_product(node)) return false;
    if (node.operands[1] != no_node || node.mask != no_node) return false;
    const Node& number = graph[node.operands[0]];
    if (number.kind != NodeKind::cast || number.mask != no_node) return false;
    const Node& mask = graph[number.operands[0]];
    const bool is_seen = mask.kind == NodeKind::view;
    return mask.dtype == DType::boolean && (is_seen ? graph[mask.operands[0]] : mask).kind == NodeKind::op;
}

/// Writes the graph node by node.
class RestrictedFactors : ListWriter {
public:
    explicit RestrictedFactors(const PlanRequest& request) : ListWriter(request) {
        for (NodeId id = 0; id < static_cast<NodeId>(from_.nodes.size()); ++id) note(id);
        to_.rule = [this](NodeId old) { return rule(old); };
    }

    bool are_none() const { return products_of_masks_.empty() && wanted_.empty(); }
    std::optional<Graph> run() {
        to_.copy_all();
        return has_restricted_ ? std::optional(to_.finish()) : std::nullopt;
    }

private:
    /// Finds products of lists, and masks that may say where one has a term.
    void note(NodeId id) {
        const Node& node = from_[id];
        const bool is_any = node.kind == NodeKind::reduce && node.reduction == Reduction::any;
        if (may_be_whole_[at(id)] || node.is_host_scalar) return;
        if (is_any && node.operands[1] == no_node && !pattern_product(from_, id)) wanted_.push_back(id);
        if (is_count(from_, node)) wanted_.push_back(id);
        if (!is_product(node) || (node.operands[1] == no_node && product_matrices(from_, node))) return;
        wanted_.push_back(id);
        const bool is_made_of_mask =
            node.mask != no_node && (is_made_of(from_, node.operands[0], node.mask) ||
                                     is_made_of(from_, node.operands[2], node.mask));
        if (node.mask == no_node || !is_any_term(from_, node) || is_made_of_mask) return;
        std::erase(wanted_, node.mask);
        products_of_masks_.emplace(node.mask, id);
    }

    std::optional<NodeId> rule(NodeId old) {
        if (const auto found = products_of_masks_.find(old); found != products_of_masks_.end())
            if (const auto made = restricted(found->second)) return to_[*made].mask;
        if (std::ranges::find(wanted_, old) == wanted_.end()) return {};
        if (is_product(from_[old])) return restricted(old);
        return is_count(from_, from_[old]) ? count(old) : restricted_any(old);
    }

    /// A sum at the true positions of the mask that it counts; 0 without such positions.
    NodeId count(NodeId old) {
        Node sum = to_.copied(old);
        const NodeId mask = to_[sum.operands[0]].operands[0];
        const Node& number = to_[sum.operands[0]];
        sum.operands = {to_.add({.kind = NodeKind::on,
                                 .dtype = number.dtype,
                                 .operands = {sum.operands[0], mask},
                                 .mask = mask,
                                 .shape = Shape(number.shape)}),
                        mask};
        sum.mask = products_.any_term(sum, mask);
        has_restricted_ = true;
        Node dense{.kind = NodeKind::to_dense, .dtype = sum.dtype, .shape = sum.shape};
        dense.operands = {to_.add(std::move(sum)), to_.constant(0)};
        return to_.add(std::move(dense));
    }

    std::optional<NodeId> restricted(NodeId old) {
        if (const auto known = made_.find(old); known != made_.end()) return known->second;
        const auto made = restricted_product(old);
        made_.emplace(old, made);
        has_restricted_ = has_restricted_ || made;
        return made;
    }

    std::optional<NodeId> restricted_product(NodeId old) {
        const Node& node = from_[old];
        const Shape shape = reduced_shape(from_, node);
        const std::array<NodeId, 2> factors{to_.copy(node.operands[0]), to_.copy(node.operands[2])};
        const auto found = product_dims(to_, repeated_, node, shape.size(), parts_of_terms(node),
                                        {dims_of_terms(to_, repeated_, factors[0], shape.size()),
                                         dims_of_terms(to_, repeated_, factors[1], shape.size())});
        if (!found) return {};
        if (const auto made = product_of_tensors(node, *found, factors, shape)) return made;
        Node made = of_matrices(node, *found, shape);
        NodeId terms = no_node;
        for (std::size_t i = 0; i < 2; ++i) {
            FactorDims factor = found->factors[i];
            if (factor.parts.empty() && !sizes_.holds(shape_of(factor, shape)))
                factor.parts = found->of_lines;
            const auto seen = factor_at_parts(factors[i], factor, shape);
            if (!seen) return {};
            made.operands[2 * i] = seen->first;
            if (seen->second != no_node) terms = repeated_.both(terms, seen->second);
        }
        if (terms == no_node)
            made.mask = made.operands[1] = no_node;
        else
            products_.set_terms(made, terms, terms_of(made));
        const NodeId product = in_order(to_.add(std::move(made)), *found, node);
        const bool says_where = node.mask != no_node && products_of_masks_.contains(node.mask);
        if (found->of_result == no_node) {
            if (says_where) return product;
            return products_.masked(products_.zero_outside(product), no_node, to_.copy(node.mask), node);
        }
        const NodeId where = products_.element_of(found->of_result, node);
        const NodeId mask = !says_where        ? to_.copy(node.mask)
                            : terms == no_node ? where
                                               : repeated_.both(to_[product].mask, where);
        return products_.masked(products_.zero_outside(product), where, mask, node);
    }

    /// A product of factors that are 0 where their parts of the mask of terms are false.  Nothing: one of
    /// them, or of their operands, has too many elements.
    std::optional<NodeId> product_of_tensors(const Node& node, const ProductDims& found,
                                             const std::array<NodeId, 2>& factors, const Shape& shape) {
        Node made = of_matrices(node, found, shape);
        made.mask = made.operands[1] = no_node;
        for (std::size_t i = 0; i < 2; ++i) {
            const FactorDims& factor = found.factors[i];
            const Shape own = shape_of(factor, shape);
            NodeId values =
                repeated_.whole(products_.in_dims(factors[i], dims_of(factor), shape.size()), own);
            const Node like = to_[values];
            if (!factor.parts.empty())
                values = products_.masked(values, mask_of(factor, shape), no_node, like);
            if (!is_made_of_few(values)) return {};
            made.operands[2 * i] = to_.add(seen_by_terms(as_matrices(values, factor), factor));
        }
        const NodeId product = in_order(to_.add(std::move(made)), found, node);
        const NodeId where =
            found.of_result == no_node ? no_node : products_.element_of(found.of_result, node);
        // The mask may be one that is true where the product has a term.
        const NodeId mask = node.mask == no_node ? no_node : to_.add(to_.copied(node.mask));
        return products_.masked(product, where, mask, node);
    }

    /// True for a node that has about as few elements as a tensor, with all its direct and indirect operands.
    bool is_made_of_few(NodeId id) {
        add_made_of_few(to_.graph(), sizes_, are_few_);
        return are_few_[at(id)];
    }

    /// A reduction as one of a product of matrices, whose operands are not set.
    static Node of_matrices(const Node& like, const ProductDims& found, const Shape& shape) {
        Node made = like;
        made.attributes.assign(1, static_cast<std::int64_t>(found.result.size()) - 1);
        made.shape = shape_of(found.result, shape);
        return made;
    }
    /// The shape of the terms that it reduces.
    Shape terms_of(const Node& product) const {
        return broadcast(to_[product.operands[0]].shape, to_[product.operands[2]].shape);
    }

    /// The parts of a product's mask of terms, and of the masks that its lists have themselves.
    std::vector<NodeId> parts_of_terms(const Node& product) {
        NodeId mask = to_.copy(product.operands[1]);
        for (const std::size_t factor : {0, 2}) {
            if (may_be_whole_[at(product.operands[factor])]) continue;
            const NodeId own = products_.mask_of_factor(product.operands[factor]);
            if (own != no_node) mask = repeated_.both(mask, own);
        }
        return mask == no_node ? std::vector<NodeId>() : parts_of(to_, repeated_, mask, true);
    }

    /// Tells where two matrices have an element of a term, by the parts of each.
    std::optional<NodeId> restricted_any(NodeId old) {
        const Node& node = from_[old];
        const Shape shape = from_[node.operands[0]].shape;
        const auto parts = parts_of(to_, repeated_, to_.copy(node.operands[0]), true);
        const auto found = product_dims(to_, repeated_, node, shape.size(), parts, {0, 0});
        if (!found) return {};
        NodeId terms = no_node;
        for (const FactorDims& factor : found->factors) {
            if (factor.parts.empty()) return {};
            const NodeId matrix = as_matrices(mask_of(factor, shape), factor);
            terms = repeated_.both(terms, to_.add(seen_by_terms(matrix, factor)));
        }
        Node any = of_matrices(node, *found, shape);
        any.operands[0] = terms;
        has_restricted_ = true;
        const NodeId made = in_order(to_.add(std::move(any)), *found, node);
        if (found->of_result == no_node) return made;
        return repeated_.both(made, products_.element_of(found->of_result, node));
    }

    static Shape shape_of(const std::vector<std::size_t>& dims, const Shape& shape) {
        Shape found;
        for (const std::size_t dim : dims) found.push_back(dim < shape.size() ? shape[dim] : 1);
        return found;
    }
    static std::vector<std::size_t> dims_of(const FactorDims& factor) {
        std::vector<std::size_t> dims = factor.batches;
        dims.insert(dims.end(), factor.matrix.begin(), factor.matrix.end());
        return dims;
    }
    /// Batches along which nothing differs are one.
    static Shape shape_of(const FactorDims& factor, const Shape& shape) {
        Shape found = shape_of(dims_of(factor), shape);
        if (!factor.is_batched) std::fill_n(found.begin(), factor.batches.size(), 1);
        return found;
    }

    /// The conjunction of the parts of a mask of terms, in the dimensions of the factor that they restrict.
    NodeId mask_of(const FactorDims& factor, const Shape& shape) {
        NodeId mask = no_node;
        for (const NodeId part : factor.parts)
            mask = repeated_.both(mask, products_.in_dims(part, dims_of(factor), shape.size()));
        return repeated_.whole(mask, shape_of(factor, shape));
    }

    /// A factor as a matrix for each batch: the reduced dimensions are one.
    NodeId as_matrices(NodeId id, const FactorDims& factor) {
        const std::size_t batches = factor.batches.size();
        if (factor.matrix.size() == 2) return id;
        const Node node = to_[id];
        Node made{.kind = NodeKind::reshape, .dtype = node.dtype, .operands = {id}};
        const auto own = std::span(node.shape).subspan(batches);
        const auto terms = factor.is_left ? own.subspan(1) : own.first(own.size() - 1);
        for (const std::int64_t extent : std::span(node.shape).first(batches)) made.shape.push_back(extent);
        made.shape.push_back(factor.is_left ? own.front() : element_count(terms));
        made.shape.push_back(factor.is_left ? element_count(terms) : own.back());
        if (node.mask != no_node) made.mask = as_matrices(node.mask, factor);
        return to_.add(std::move(made));
    }

    /// A view of matrices as terms see them.
    Node seen_by_terms(NodeId matrices, const FactorDims& factor) {
        const std::size_t own = factor.batches.size() + 2, rank = own + 1;
        const std::size_t added = factor.is_left ? rank - 1 : rank - 3;
        Node view{.kind = NodeKind::view, .dtype = to_[matrices].dtype, .operands = {matrices}};
        view.shape = to_[matrices].shape;
        view.shape.insert(view.shape.begin() + static_cast<std::ptrdiff_t>(added), 1);
        view.attributes.assign(own * rank, 0);
        for (std::size_t d = 0; d < own; ++d) view.attributes[d * rank + d + (d < added ? 0 : 1)] = 1;
        return view;
    }

    /// A factor at the places of parts of the mask of terms, as a matrix that terms see, and its mask;
    /// without parts all of the factor.  Nothing: that has too many elements.
    std::optional<std::pair<NodeId, NodeId>> factor_at_parts(NodeId id, const FactorDims& factor,
                                                             const Shape& shape) {
        const Shape own = shape_of(factor, shape);
        if (factor.parts.empty() && !sizes_.holds(own)) return {};
        const NodeId values = repeated_.whole(products_.in_dims(id, dims_of(factor), shape.size()), own);
        if (factor.parts.empty())
            return {{to_.add(seen_by_terms(as_matrices(values, factor), factor)), no_node}};
        const NodeId mask = mask_of(factor, shape);
        const NodeId restricted = to_.add({.kind = NodeKind::on,
                                           .dtype = to_[id].dtype,
                                           .operands = {values, mask},
                                           .mask = mask,
                                           .shape = own});
        const NodeId matrices = as_matrices(restricted, factor);
        Node view = seen_by_terms(matrices, factor);
        const NodeId terms = view.mask = to_.add(of_mask(view, to_[matrices].mask));
        return {{to_.add(std::move(view)), terms}};
    }

    /// A product, or where one has a term, with the dimensions in the order of `like`.
    NodeId in_order(NodeId made, const ProductDims& found, const Node& like) {
        const std::size_t rank = like.shape.size();
        Node view{.kind = NodeKind::view, .dtype = to_[made].dtype, .operands = {made}, .shape = like.shape};
        view.attributes.assign(found.result.size() * rank, 0);
        std::vector<std::size_t> kept = found.result;  // in the order of terms
        std::ranges::sort(kept);
        for (std::size_t j = 0; j < rank; ++j) {
            const auto own = std::ranges::find(found.result, kept[j]) - found.result.begin();
            view.attributes[static_cast<std::size_t>(own) * rank + j] = 1;
        }
        if (ir::shows_all(view, to_[made].shape)) return made;
        if (to_[made].mask != no_node) view.mask = to_.add(of_mask(view, to_[made].mask));
        return to_.add(std::move(view));
    }

    std::vector<NodeId> wanted_;                  // products, and the masks that say where one has a term
    std::map<NodeId, NodeId> products_of_masks_;  // products that are specified where they have a term
    std::map<NodeId, std::optional<NodeId>> made_;
    std::vector<bool> are_few_;  // nodes of the new graph: is_made_of_few
    bool has_restricted_ = false;
};

}  // namespace

namespace {

bool has_many_terms(const PlanRequest& request, const Node& node) {
    const std::int64_t least =
        request.scope == PlanScope::ahead ? least_restricted_ahead : least_restricted_terms;
    return node.kind == NodeKind::reduce && capped_count(reduced_shape(request.graph, node)) >= least;
}

}  // namespace

bool has_large_products(const PlanRequest& request) {
    const std::vector<bool>& may_be = may_be_whole(request);
    for (std::size_t id = 0; id < may_be.size(); ++id) {
        const Node& node = request.graph.nodes[id];
        if (may_be[id] || !has_many_terms(request, node)) continue;
        if (node.reduction == Reduction::any || is_product(node) || is_count(request.graph, node))
            return true;
    }
    return false;
}

bool has_large_list_products(const PlanRequest& request) {
    const std::vector<bool>& reads_list = reading_lists(request);
    return std::ranges::any_of(request.graph.nodes, [&](const Node& node) {
        return is_product(node) && node.operands[1] != no_node && reads_list[at(node.operands[1])] &&
               has_many_terms(request, node);
    });
}

std::optional<Graph> with_restricted_factors(const PlanRequest& request) {
    RestrictedFactors factors(request);
    return factors.are_none() ? std::nullopt : factors.run();
}

}  // namespace frisket::planning
