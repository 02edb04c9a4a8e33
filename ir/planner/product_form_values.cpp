// SPDX-License-Identifier: MIT
#include "../at.hpp"
#include "../shown_elements.hpp"
#include "list_products.hpp"
#include "product_form.hpp"

#include <algorithm>
#include <span>
#include <utility>

/// Values of products and of their factors.
namespace frisket::planning {

using ir::at;

/// A product in which each element has one term: both factors, multiplied.  As a sum, it is no -0.  The
/// product of two vectors is no list, and stays a product.
std::optional<NodeId> ProductForm::product_of_one_term(NodeId old) {
    const Node& node = from_[old];
    const Shape shape = reduced_shape(from_, node);
    if (may_be_whole_[at(old)] || sizes_.holds(node.shape)) return {};
    const auto has_all_terms = [&](NodeId one) {
        return !may_be_whole_[at(one)] && from_[one].shape == shape;
    };
    if (node.shape.size() < 3 && !has_all_terms(node.operands[0]) && !has_all_terms(node.operands[2]))
        return {};
    for (const std::int64_t dim : node.attributes)
        if (shape[at(dim)] != 1) return {};
    const std::vector<std::size_t> kept = ir::kept_dims(node, shape.size());
    const auto factor = [&](NodeId one) { return in_dims(to_.copy(one), kept, shape.size()); };
    const auto apply = [&](OpId op, NodeId a, NodeId b) {
        return to_.add(
            {.kind = NodeKind::op, .op = op, .dtype = node.dtype, .operands = {a, b}, .shape = node.shape});
    };
    const NodeId product = apply(op_id<op::Mul>, factor(node.operands[0]), factor(node.operands[2]));
    const NodeId values = apply(op_id<op::Add>, product, to_.constant(0));
    const NodeId where = repeated_.whole(repeated_.with_dims(to_.copy(node.operands[1]), kept), node.shape);
    if (node.mask == no_node || !is_any_term(from_, node))
        return masked(values, where, to_.copy(node.mask), node);
    const NodeId made = masked(values, no_node, where, node);
    to_.replace(node.mask, where);
    return made;
}

/// A product whose terms are elements of a list that it reads without a mask: the terms' mask is the list's.
std::optional<NodeId> ProductForm::with_masked_factor(NodeId old) {
    const Node& node = from_[old];
    const NodeId terms = node.operands[1];
    for (const std::size_t i : {0, 2}) {
        const NodeId factor = node.operands[i];
        const Node& view = from_[factor];
        const bool is_bare_list = view.kind == NodeKind::view && view.mask == no_node && !is_tensor(factor) &&
                                  is_bare(from_, from_[view.operands[0]]) &&
                                  from_[terms].kind == NodeKind::mask_of && from_[terms].shape == view.shape;
        if (!is_bare_list) continue;
        Node masked = view;
        masked.operands = {to_.copy(from_[view.operands[0]].operands[0])};
        masked.mask = to_.copy(terms);
        Node made = to_.copied(old);
        made.operands[i] = to_.add(std::move(masked));
        return to_.add(std::move(made));
    }
    return {};
}

std::optional<NodeId> ProductForm::masked_gather(NodeId values, NodeId mask) {
    Node gather = to_[values];
    const Node& lines = to_[mask];
    if (gather.kind != NodeKind::gather || gather.mask != no_node || lines.kind != NodeKind::gather ||
        lines.shape != gather.shape || lines.attributes != gather.attributes ||
        !std::ranges::equal(std::span(lines.operands).subspan(1), std::span(gather.operands).subspan(1)))
        return {};
    const Node& bare = to_[gather.operands[0]];
    if (!is_bare(to_.graph(), bare) || to_[bare.operands[0]].mask != lines.operands[0]) return {};
    gather.operands[0] = bare.operands[0];
    gather.mask = mask;
    return to_.add(std::move(gather));
}

NodeId ProductForm::bare(NodeId id) {
    if (to_[id].mask == no_node) return id;
    Node made{.kind = NodeKind::cast, .dtype = to_[id].dtype, .operands = {id}};
    made.shape = to_[id].shape;
    return to_.add(std::move(made));
}

NodeId ProductForm::in_dims(NodeId id, const std::vector<std::size_t>& kept, std::size_t rank) {
    const Node node = to_[id];
    if (node.kind == NodeKind::cast) {
        Node made{.kind = NodeKind::cast, .dtype = node.dtype};
        made.operands = {in_dims(node.operands[0], kept, rank)};
        made.shape = to_[made.operands[0]].shape;
        return to_.add(std::move(made));
    }
    const std::size_t own = node.shape.size(), missing = rank - own;
    Node view{.kind = NodeKind::view, .dtype = node.dtype, .operands = {id}};
    view.attributes.assign(own * kept.size(), 0);
    for (std::size_t j = 0; j < kept.size(); ++j) {
        const bool is_there = kept[j] >= missing && kept[j] < rank;
        view.shape.push_back(is_there ? node.shape[kept[j] - missing] : 1);
        if (is_there) view.attributes[(kept[j] - missing) * kept.size() + j] = 1;
    }
    if (node.mask == no_node) return repeated_.view(std::move(view));
    if (node.kind == NodeKind::view) {
        view = ir::composed(view, node, to_[node.operands[0]].shape);
        view.operands = {bare(node.operands[0])};
    } else {
        view.operands = {bare(id)};
    }
    return repeated_.view(std::move(view));
}

NodeId ProductForm::zero_outside(NodeId id) {
    const Node node = to_[id];
    if (node.mask == no_node) return id;
    return to_.add({.kind = NodeKind::to_dense,
                    .dtype = node.dtype,
                    .operands = {id, to_.constant(0)},
                    .shape = node.shape});
}

NodeId ProductForm::masked(NodeId values, NodeId where, NodeId mask, const Node& like) {
    if (where != no_node && where != mask)
        return to_.add({.kind = NodeKind::op,
                        .op = op_id<op::Where>,
                        .dtype = like.dtype,
                        .operands = {where, values, to_.constant(0)},
                        .mask = mask,
                        .shape = like.shape});
    if (mask == no_node) return values;
    return to_.add({.kind = NodeKind::on,
                    .dtype = like.dtype,
                    .operands = {values, mask},
                    .mask = mask,
                    .shape = like.shape});
}

}  // namespace frisket::planning
