// SPDX-License-Identifier: MIT
#include "product_form.hpp"

#include "../at.hpp"
#include "../shown_elements.hpp"
#include "list_products.hpp"
#include "product_dims.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

/// The dimension of a view's operand that the view's dimension `j` shows.
std::optional<std::size_t> dim_of(const Node& view, std::size_t j) {
    const std::size_t rank = view.shape.size();
    std::optional<std::size_t> found;
    for (std::size_t d = 0; d < view.attributes.size() / rank; ++d) {
        const std::int64_t step = view.attributes[d * rank + j];
        if (step == 0) continue;
        if (step != 1 || found) return {};
        found = d;
    }
    return found;
}

}  // namespace

ProductForm::ProductForm(const Graph& from, ir::Rewriter& to, RepeatedDims& repeated,
                         const std::vector<bool>& may_be_whole, const TensorSizes& sizes)
    : from_(from),
      to_(to),
      repeated_(repeated),
      may_be_whole_(may_be_whole),
      sizes_(sizes),
      reads_product_(from.nodes.size()) {
    for (std::size_t id = 0; id < from.nodes.size(); ++id) {
        reads_product_[id] = is_product(from.nodes[id]);
        ir::for_each_id(from.nodes[id], [&](NodeId operand) {
            if (operand != no_node && reads_product_[at(operand)]) reads_product_[id] = true;
        });
    }
}

/// True where any term of a product is.
NodeId ProductForm::any_term(const Node& product, NodeId terms) {
    return to_.add({.kind = NodeKind::reduce,
                    .dtype = DType::boolean,
                    .operands = {terms, no_node},
                    .reduction = Reduction::any,
                    .attributes = product.attributes,
                    .shape = product.shape});
}

void ProductForm::set_terms(Node& product, NodeId terms, const Shape& shape) {
    if (to_[terms].shape != shape) {
        Node whole = to_[terms];
        if (whole.kind != NodeKind::op) whole = ir::broadcast_view(to_.graph(), terms, shape);
        whole.shape = shape;
        // A view of a view that shows a mask of a factor is one of that mask.
        if (const Node& inner = to_[terms]; inner.kind == NodeKind::view && whole.kind == NodeKind::view)
            whole = ir::composed(whole, inner, to_[inner.operands[0]].shape);
        terms = to_.add(std::move(whole));
    }
    product.operands[1] = terms;
    product.mask = any_term(product, terms);
}

/// A product of which parts of the mask of terms are the same for all terms of an element, or whose mask
/// differs from the mask that is true where it has a term.
std::optional<NodeId> ProductForm::product(NodeId old) {
    const Node& node = from_[old];
    if (const auto made = product_of_one_term(old)) return made;
    if (const auto made = with_masked_factor(old)) return made;
    std::vector<NodeId> of_elements, of_terms;
    split(node.operands[1], node, of_elements, of_terms);
    const bool has_own_mask = node.mask != no_node && (is_any_term(from_, node) || is_any_entry(from_, node));
    std::vector<NodeId> own_masks;  // parts of masks of lists that are read without them
    bool are_readable = true;
    for (const std::size_t factor : {0, 2}) {
        if (of_elements.empty() || is_readable(node.operands[factor], of_terms)) continue;
        const NodeId own = own_mask(node.operands[factor]);
        are_readable = are_readable && own != no_node && !is_of_elements(own, node);
        if (!are_readable) break;
        for (const NodeId part : parts_of(to_, repeated_, own, false)) own_masks.push_back(part);
    }
    if (of_elements.empty() || !are_readable) {
        if (has_own_mask && of_elements.empty())
            if (const auto made = of_factor_masks(old, of_terms)) return made;
        const auto restricted =
            with_lines_in_list(old, of_elements.empty() ? of_terms : std::vector<NodeId>());
        if (!restricted && (has_own_mask || !is_list_product(old))) return {};
        Node terms = restricted ? *restricted : to_.copied(old);
        if (has_own_mask) {
            const NodeId made = to_.add(std::move(terms));
            to_.replace(node.mask, to_[made].mask);
            return made;
        }
        const NodeId mask = to_.copy(node.mask);
        set_terms(terms, terms.operands[1], reduced_shape(from_, node));
        return masked(zero_outside(to_.add(std::move(terms))), no_node, mask, node);
    }
    Node terms = to_.copied(old);
    const NodeId mask = terms.mask;
    terms.mask = terms.operands[1] = no_node;
    for (const NodeId one : of_terms) terms.operands[1] = repeated_.both(terms.operands[1], to_.copy(one));
    NodeId where = no_node;
    for (const NodeId one : of_elements) where = repeated_.both(where, element_of(to_.copy(one), node));
    for (const NodeId one : own_masks) {
        const bool is_of_element = is_of_elements(one, node);
        NodeId& mask_of_one = is_of_element ? where : terms.operands[1];
        mask_of_one = repeated_.both(mask_of_one, is_of_element ? element_of(one, node) : one);
    }
    if (terms.operands[1] != no_node) set_terms(terms, terms.operands[1], reduced_shape(from_, node));
    return masked(zero_outside(to_.add(std::move(terms))), where, mask, node);
}

/// A product whose mask of terms is the mask of its factors as terms see them, not as they show other nodes:
/// parts of a factor's mask are all of it, as nothing is read elsewhere.
std::optional<NodeId> ProductForm::of_factor_masks(NodeId old, const std::vector<NodeId>& parts) {
    const Node& node = from_[old];
    NodeId terms = no_node;
    bool is_other = false;
    for (const NodeId part : parts) {
        NodeId seen = no_node;
        for (const std::size_t factor : {0, 2}) {
            const NodeId mask = from_[before_bare(node.operands[factor])].mask;
            if (seen == no_node && mask != no_node && shows_same(from_, part, mask))
                seen = to_[to_.copy(before_bare(node.operands[factor]))].mask;
        }
        for (const std::size_t factor : {0, 2}) {
            if (seen != no_node || may_be_whole_[at(node.operands[factor])]) continue;
            const NodeId own = own_mask(node.operands[factor]);
            const auto is_of_element = [&](NodeId one) { return is_of_elements(one, node); };
            // The result has parts of elements, which would go back to it.
            if (own != no_node && implies(own, to_.copy(part)) &&
                std::ranges::none_of(parts_of(to_, repeated_, own, false), is_of_element))
                seen = own;
        }
        if (seen == no_node) return {};
        const NodeId copied = to_.copy(part);
        is_other = is_other || to_[seen].operands != to_[copied].operands;
        terms = repeated_.both(terms, seen);
    }
    if (!is_other) return {};
    Node product = to_.copied(old);
    set_terms(product, terms, reduced_shape(from_, node));
    const NodeId made = to_.add(std::move(product));
    to_.replace(node.mask, to_[made].mask);
    return made;
}

/// True if a mask, or the conjunction that it shows, has another one as a part.
bool ProductForm::implies(NodeId mask, NodeId part) {
    if (shows_same(to_.graph(), mask, part)) return true;
    const bool is_seen = to_[mask].kind == NodeKind::view;
    const Node both = to_[is_seen ? to_[mask].operands[0] : mask];
    if (both.kind != NodeKind::op || both.op != op_id<op::LogicalAnd>) return false;
    return std::ranges::any_of(both.operands, [&](NodeId one) {
        if (to_[one].shape != both.shape) return false;
        if (!is_seen) return implies(one, part);
        Node view = to_[mask];
        view.operands = {one};
        return implies(repeated_.view(std::move(view)), part);
    });
}

/// True for a tensor that can be made whole, but for a mask without which it is read.
bool ProductForm::is_tensor(NodeId id) const {
    if (may_be_whole_[at(id)]) return true;
    const Node& node = from_[id];
    if (node.kind == NodeKind::view && node.mask == no_node) return is_tensor(node.operands[0]);
    const NodeId masked = before_bare(id);
    return masked != id && from_[masked].kind == NodeKind::on && sizes_.holds(node.shape) &&
           may_be_whole_[at(from_[masked].operands[0])];
}

/// True for a factor that is a tensor, or a list whose mask is one of these.
bool ProductForm::is_readable(NodeId factor, const std::vector<NodeId>& masks) const {
    const NodeId mask = from_[before_bare(factor)].mask;
    return is_tensor(factor) || (mask != no_node && std::ranges::any_of(masks, [&](NodeId one) {
                                     return shows_same(from_, one, mask);
                                 }));
}

/// True for a product of a list, and of another or of a tensor that can be made whole.
bool ProductForm::is_list_product(NodeId id) const {
    const auto product = masked_product(from_, id);
    if (!product) return false;
    bool has_list = false;
    for (const NodeId factor : {product->matrices.left.id, product->matrices.right.id}) {
        if (may_be_whole_[at(factor)]) continue;
        if (from_[factor].mask == no_node) return false;
        // Under a mask that is a tensor the factor is a tensor itself, once stages have made its operands.
        has_list = has_list || !may_be_whole_[at(from_[factor].mask)];
    }
    return has_list;
}

/// A product of a list and a tensor whose mask is the same for all terms of a reduced index: the list is
/// restricted to these lines, and the tensor is read without a mask.
std::optional<Node> ProductForm::with_lines_in_list(NodeId old, const std::vector<NodeId>& parts) {
    const Node& node = from_[old];
    if (node.attributes.size() != 1) return {};
    for (const auto& [list, tensor] : {std::pair(0, 2), std::pair(2, 0)}) {
        const Node& seen = from_[before_bare(node.operands[at(list)])];
        const bool is_list = seen.kind == NodeKind::view && seen.mask != no_node && seen.offsets.empty() &&
                             !may_be_whole_[at(node.operands[at(list)])] &&
                             may_be_whole_[at(node.operands[at(tensor)])] &&
                             from_[seen.operands[0]].mask != no_node;
        if (!is_list) continue;
        std::vector<NodeId> lines;
        bool has_others = false;
        for (const NodeId part : parts) {
            if (shows_same(from_, part, seen.mask)) continue;
            if (is_of_line(part, node, seen))
                lines.push_back(part);
            else
                has_others = true;
        }
        if (lines.empty() || has_others) continue;
        return restricted_product(old, list, lines);
    }
    return {};
}

/// The masked tensor whose values a node is, without its mask; else the node.
NodeId ProductForm::before_bare(NodeId id) const {
    return is_bare(from_, from_[id]) ? from_[id].operands[0] : id;
}

/// True for a node that differs only along the reduced dimension, which is a dimension of a matrix that
/// another shows.
bool ProductForm::is_of_line(NodeId part, const Node& product, const Node& matrix) {
    const NodeId made = to_.copy(part);
    if (to_[made].shape.size() != matrix.shape.size()) return false;
    const std::size_t reduced = at(product.attributes[0]);
    for (std::size_t j = 0; j < matrix.shape.size(); ++j)
        if (j != reduced && repeated_.varies(made, j)) return false;
    return dim_of(matrix, reduced).has_value();
}
Node ProductForm::restricted_product(NodeId old, int list, const std::vector<NodeId>& lines) {
    const Node& node = from_[old];
    Node seen = from_[before_bare(node.operands[at(list)])];
    const Node& matrix = from_[seen.operands[0]];
    const std::size_t reduced = at(node.attributes[0]), dim = *dim_of(seen, reduced);
    NodeId mask = to_.copy(matrix.mask);
    for (const NodeId line : lines) {
        const NodeId part = repeated_.once(to_.copy(line));
        const std::size_t rank = to_[part].shape.size(), own_rank = matrix.shape.size();
        Node own{.kind = NodeKind::view, .dtype = DType::boolean, .operands = {part}};
        own.shape = Shape(own_rank, 1);
        own.shape[dim] = to_[part].shape[reduced];
        own.attributes.assign(rank * own_rank, 0);
        own.attributes[reduced * own_rank + dim] = 1;
        mask = repeated_.both(mask, repeated_.view(std::move(own)));
    }
    const NodeId restricted = to_.add({.kind = NodeKind::on,
                                       .dtype = matrix.dtype,
                                       .operands = {to_.copy(seen.operands[0]), mask},
                                       .mask = mask,
                                       .shape = matrix.shape});
    const NodeId where = to_.add(of_mask(seen, mask));
    seen.operands = {restricted};
    seen.mask = where;
    Node made = node;
    made.operands[at(list)] = to_.add(seen);
    made.operands[at(2 - list)] = without_mask(node.operands[at(2 - list)]);
    set_terms(made, where, reduced_shape(from_, node));
    return made;
}

NodeId ProductForm::mask_of_factor(NodeId factor) {
    const Node& node = from_[factor];
    if (node.mask != no_node) return to_.copy(node.mask);
    if (node.kind == NodeKind::cast) return mask_of_factor(node.operands[0]);
    if (node.kind != NodeKind::view) return no_node;
    const NodeId shown = mask_of_factor(node.operands[0]);
    if (shown == no_node) return no_node;
    return repeated_.view(of_mask(node, shown));
}

NodeId ProductForm::own_mask(NodeId factor) {
    return reads_product_[at(factor)] ? no_node : mask_of_factor(factor);
}

/// The values of a factor, of which nothing is read where its mask is false.
NodeId ProductForm::without_mask(NodeId old) {
    Node node = to_.copied(old);
    if (node.mask == no_node) return to_.copy(old);
    if (node.kind == NodeKind::view && to_[node.operands[0]].mask != no_node) {
        node.operands = {bare(node.operands[0])};
        node.mask = no_node;
        return to_.add(std::move(node));
    }
    return bare(to_.copy(old));
}

/// Splits a conjunction into the views that are the same for all terms of an element, and the remaining
/// parts.
void ProductForm::split(NodeId mask, const Node& product, std::vector<NodeId>& of_elements,
                        std::vector<NodeId>& of_terms) {
    const Node& node = from_[mask];
    const bool is_and = node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>;
    const auto has_rank = [&](NodeId operand) { return from_[operand].shape.size() == node.shape.size(); };
    if (is_and && std::ranges::all_of(node.operands, has_rank)) {
        for (const NodeId operand : node.operands) split(operand, product, of_elements, of_terms);
        return;
    }
    (is_of_elements(to_.copy(mask), product) ? of_elements : of_terms).push_back(mask);
}

/// True for a mask of terms that is the same for all terms of an element.
bool ProductForm::is_of_elements(NodeId made, const Node& product) {
    return to_[made].shape.size() == reduced_shape(from_, product).size() &&
           std::ranges::none_of(product.attributes,
                                [&](auto dim) { return repeated_.varies(made, at(dim)); });
}

NodeId ProductForm::element_of(NodeId mask, const Node& product) {
    const NodeId terms = repeated_.once(mask);
    return repeated_.with_dims(terms, ir::kept_dims(product, to_[terms].shape.size()));
}

}  // namespace frisket::planning
