// SPDX-License-Identifier: MIT
#include "repeated_dims.hpp"

#include "../at.hpp"
#include "../shown_elements.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

bool is_idempotent(Reduction reduction) {
    return reduction == Reduction::any || reduction == Reduction::all || reduction == Reduction::amax ||
           reduction == Reduction::amin;
}

bool is_any_scatter(const Node& node) {
    return node.kind == NodeKind::scatter && node.reduction == Reduction::any;
}

/// True for a reduction that repeated elements do not change.
bool is_plain_reduction(const Node& node) {
    return node.kind == NodeKind::reduce && is_idempotent(node.reduction) && node.operands[1] == no_node;
}

/// True for a sum of products of which no term and no element is unspecified.
bool is_plain_product(const Node& node) {
    return is_product(node) && node.operands[1] == no_node && node.mask == no_node;
}

}  // namespace

Node of_mask(Node view, NodeId mask) {
    view.dtype = DType::boolean;
    view.operands = {mask};
    view.mask = no_node;
    return view;
}

std::optional<std::pair<Node, Node>> in_shown_order(const Node& view, const Shape& shape) {
    const std::size_t own_rank = shape.size(), rank = view.shape.size();
    if (own_rank < 3 || !view.offsets.empty()) return {};
    Node inner = view, outer = view;
    inner.shape.clear();
    inner.attributes.assign(own_rank * own_rank, 0);
    outer.attributes.assign(own_rank * rank, 0);
    for (std::size_t j = 0; j < rank; ++j)
        for (std::size_t d = 0; d < own_rank; ++d) {
            const std::int64_t step = view.attributes[d * rank + j];
            if (step == 0) continue;
            const std::size_t next = inner.shape.size();
            if (step != 1 || view.shape[j] != shape[d] || next == own_rank) return {};
            inner.shape.push_back(shape[d]);
            inner.attributes[d * own_rank + next] = outer.attributes[next * rank + j] = 1;
        }
    if (inner.shape.size() != own_rank || ir::shows_all(inner, shape)) return {};
    return std::pair(std::move(inner), std::move(outer));
}

std::optional<std::pair<Node, Node>> in_own_dims(const Node& view, const Shape& shape) {
    const std::size_t own_rank = shape.size(), rank = view.shape.size();
    if (ir::shows_whole_dims(view)) return {};
    Node inner = view, outer = view;
    inner.shape = Shape(own_rank, 1);
    inner.attributes.assign(own_rank * own_rank, 0);
    outer.offsets.clear();
    std::vector<bool> is_shown(rank);
    for (std::size_t d = 0; d < own_rank; ++d)
        for (std::size_t j = 0; j < rank; ++j) {
            std::int64_t& step = outer.attributes[d * rank + j];
            if (step == 0 || view.shape[j] == 1) continue;
            if (is_shown[j] || inner.attributes[d * own_rank + d] != 0) return {};
            inner.attributes[d * own_rank + d] = step;
            inner.shape[d] = view.shape[j];
            is_shown[j] = true;
            step = 1;
        }
    if (inner.shape == view.shape && inner.attributes == view.attributes) return {};
    return std::pair(std::move(inner), std::move(outer));
}

void RepeatedDims::keep(NodeId view) {
    kept_.insert(view);
    if (at(view) < known_.size()) known_.resize(at(view));
}

std::uint64_t RepeatedDims::dims(NodeId id) {
    for (auto next = static_cast<NodeId>(known_.size()); next <= id; ++next) known_.push_back(dims_of(next));
    return known_[at(id)];
}

std::uint64_t RepeatedDims::dims_of(NodeId id) const {
    const Node& node = to_[id];
    const auto bit = [](std::size_t dim) { return std::uint64_t{1} << dim; };
    const auto varies_in = [&](NodeId id, std::size_t dim) { return (known_[at(id)] & bit(dim)) != 0; };
    const std::size_t rank = node.shape.size();
    std::uint64_t all = 0, found = 0;
    for (std::size_t j = 0; j < rank; ++j)
        if (node.shape[j] != 1) all |= bit(j);
    if (kept_.contains(id)) {
        found = all;
    } else if (node.kind == NodeKind::view) {
        for (std::size_t i = 0; i < node.attributes.size(); ++i)
            if (node.attributes[i] != 0 && varies_in(node.operands[0], i / rank)) found |= bit(i % rank);
    } else if (node.kind == NodeKind::coordinate) {
        found = bit(at(node.attributes[0]));
    } else if (node.kind == NodeKind::mask_of) {
        found = dims_of_mask_(node.symbol) & all;
    } else if (is_plain_reduction(node)) {
        const std::size_t before = to_[node.operands[0]].shape.size();
        for (std::size_t d = 0, j = 0; d < before; ++d) {
            if (ir::reduces(node, d)) continue;
            if (varies_in(node.operands[0], d)) found |= bit(j);
            ++j;
        }
    } else if (is_plain_product(node)) {
        const std::size_t before = reduced_shape(to_.graph(), node).size();
        const auto of_factor = [&](NodeId id) { return known_[at(id)] << (before - to_[id].shape.size()); };
        const std::uint64_t of_terms = of_factor(node.operands[0]) | of_factor(node.operands[2]);
        for (std::size_t d = 0, j = 0; d < before; ++d)
            if (!ir::reduces(node, d)) found |= ((of_terms >> d) & 1U) << j++;
        // Lists make more than a line at their places, in their shape.
        if (std::popcount(found) > 1) found = all;
    } else if (node.kind == NodeKind::gather || is_any_scatter(node)) {
        found = dims_at_indices(node);
    } else if (is_elementwise(node.kind) && node.symbol < 0) {
        ir::for_each_id(node, [&](NodeId operand) {
            if (operand == no_node) return;
            found |= known_[at(operand)] << (rank - to_[operand].shape.size());
            if (node.kind == NodeKind::to_dense && to_[operand].mask != no_node)
                found |= known_[at(to_[operand].mask)] << (rank - to_[operand].shape.size());
        });
    } else {
        found = all;
    }
    return found & all;
}

/// The dimensions in which a gather, or a scatter of bools, differs.
std::uint64_t RepeatedDims::dims_at_indices(const Node& node) const {
    const bool is_gather = node.kind == NodeKind::gather;
    const std::size_t rank = is_gather ? node.shape.size() : to_[node.operands[0]].shape.size();
    std::uint64_t of_space = 0;  // dimensions of the gathered or scattered tensor
    for (std::size_t i = is_gather ? 1 : 0; i < node.operands.size(); ++i)
        if (const NodeId id = node.operands[i]; id != no_node)
            of_space |= known_[at(id)] << (rank - to_[id].shape.size());
    std::uint64_t found = is_gather ? of_space : 0;
    for (std::size_t d = 0; d < node.attributes.size(); ++d) {
        const std::int64_t along = node.attributes[d];
        if (is_gather && along >= 0 && ((known_[at(node.operands[0])] >> d) & 1U) != 0)
            found |= std::uint64_t{1} << along;
        const bool is_covered =
            !is_gather && along >= 0 && node.shape[d] == to_[node.operands[0]].shape[at(along)];
        if (!is_gather && (!is_covered || ((of_space >> along) & 1U) != 0)) found |= std::uint64_t{1} << d;
    }
    return found;
}

/// A gather or a scatter in these dimensions of its own, of operands that are made once; nothing if an index
/// is looked up in one of theirs.
std::optional<Node> RepeatedDims::once_at_indices(Node node, const Shape& whole) {
    const bool is_gather = node.kind == NodeKind::gather;
    const Shape before = to_[node.operands[0]].shape;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
        if (node.operands[i] == no_node) continue;
        if (to_[node.operands[i]].mask != no_node) return {};
        node.operands[i] = once(node.operands[i]);
    }
    const Shape& after = to_[node.operands[0]].shape;
    if (after.size() != before.size()) return {};  // one element is made without dimensions
    if (!is_gather && node.operands[1] != no_node && to_[node.operands[1]].shape != after) return {};
    for (std::size_t d = 0; d < node.attributes.size(); ++d) {
        const std::int64_t along = node.attributes[d];
        const auto is_once = [&](const Shape& now, const Shape& then, std::int64_t dim) {
            return dim >= 0 && now[at(dim)] != then[at(dim)];
        };
        const auto own = static_cast<std::int64_t>(d);
        // A dimension is made once on both sides, or on none.
        if (is_once(after, before, is_gather ? own : along) !=
            is_once(node.shape, whole, is_gather ? along : own))
            return {};
    }
    return node;
}

/// A product in these dimensions of its own, of factors that are made once; nothing if both repeat terms.
std::optional<Node> RepeatedDims::once_of_terms(Node product) {
    const Shape before = reduced_shape(to_.graph(), product);
    for (const std::size_t factor : {0, 2}) {
        NodeId& id = product.operands[factor];
        if (to_[id].mask != no_node) return {};
        const std::size_t rank = to_[id].shape.size();
        id = once(id);
        if (to_[id].shape.size() != rank) id = whole(id, Shape(rank, 1));  // one element has no dimensions
    }
    const Shape after = reduced_shape(to_.graph(), product);
    for (const std::int64_t d : product.attributes)
        if (after[at(d)] != before[at(d)]) return {};
    return product;
}

bool RepeatedDims::is_repeated(NodeId id) {
    const Node& node = to_[id];
    if (node.is_host_scalar || node.mask != no_node) return false;
    for (std::size_t j = 0; j < node.shape.size(); ++j)
        if (node.shape[j] > 1 && !varies(id, j)) return true;
    return false;
}

NodeId RepeatedDims::view(Node node) {
    const auto shows_all = [&](const Node& view) { return ir::shows_all(view, to_[view.operands[0]].shape); };
    while (to_[node.operands[0]].kind == NodeKind::view && to_[node.operands[0]].mask == no_node &&
           !kept_.contains(node.operands[0])) {
        const Node& shown = to_[node.operands[0]];
        Node one = ir::composed(node, shown, to_[shown.operands[0]].shape);
        if (!ir::shows_whole_dims(shown) && !shows_all(one)) break;
        node = std::move(one);
    }
    return shows_all(node) ? node.operands[0] : to_.add(std::move(node));
}

NodeId RepeatedDims::first_of(NodeId id, const Shape& shape) {
    const Shape own = to_[id].shape;
    const std::size_t rank = own.size();
    const auto dims = std::span(shape).last(rank);
    Node first{.kind = NodeKind::view, .dtype = to_[id].dtype, .operands = {id}, .shape = own};
    first.attributes.assign(rank * rank, 0);
    for (std::size_t d = 0; d < rank; ++d) {
        first.shape[d] = std::min(own[d], dims[d]);
        first.attributes[d * rank + d] = first.shape[d] == own[d] ? 1 : 0;
    }
    return first.shape == own ? id : to_.add(std::move(first));
}

std::optional<Node> RepeatedDims::first_shown(const Node& view) {
    Node made = to_[view.operands[0]];
    const std::size_t rank = made.shape.size();
    if (!is_elementwise(made.kind) || made.symbol >= 0 || made.is_host_scalar || !view.offsets.empty() ||
        view.shape.size() != rank || (view.mask == no_node) != (made.mask == no_node))
        return {};
    for (std::size_t d = 0; d < rank; ++d) {
        const bool is_whole = view.shape[d] == made.shape[d];
        if (!is_whole && (view.shape[d] != 1 || varies(view.operands[0], d))) return {};
        for (std::size_t j = 0; j < rank; ++j)
            if (view.attributes[d * rank + j] != (d == j && is_whole ? 1 : 0)) return {};
    }
    const NodeId mask = std::exchange(made.mask, view.mask);
    made.shape = view.shape;
    for (NodeId& operand : made.operands) {
        if (operand == no_node || to_[operand].is_host_scalar) continue;
        const NodeId own_mask = to_[operand].mask;
        if (operand == mask) {
            operand = view.mask;
        } else if (own_mask == no_node) {
            operand = first_of(once(operand), made.shape);
        } else if (to_[operand].shape != made.shape) {
            Node seen = view;
            seen.operands = {operand};
            seen.dtype = to_[operand].dtype;
            seen.mask = first_of(once(own_mask), made.shape);
            const std::optional<Node> first = first_shown(seen);
            if (!first) return {};
            operand = to_.add(*first);
        }
    }
    return made;
}

NodeId RepeatedDims::once(NodeId id) {
    if (!is_repeated(id)) return id;
    Node node = to_[id];
    const Shape whole = node.shape;
    for (std::size_t j = 0; j < whole.size(); ++j)
        if (whole[j] > 1 && !varies(id, j)) node.shape[j] = 1;
    if (node.kind == NodeKind::view) {
        for (std::size_t i = 0; i < node.attributes.size(); ++i)
            if (node.shape[i % whole.size()] != whole[i % whole.size()]) node.attributes[i] = 0;
        const NodeId shown = view(std::move(node));
        const bool is_of_one = to_[shown].kind == NodeKind::view && to_[to_[shown].operands[0]].shape.empty();
        return is_of_one ? to_[shown].operands[0] : shown;
    }
    if (node.kind == NodeKind::coordinate) return to_.add(std::move(node));
    if (node.kind == NodeKind::mask_of) return first_of(id, node.shape);
    if (node.kind == NodeKind::gather || is_any_scatter(node)) {
        auto made = once_at_indices(std::move(node), whole);
        return made ? to_.add(*std::move(made)) : id;
    }
    if (is_plain_product(node)) {
        auto made = once_of_terms(std::move(node));
        return made ? to_.add(*std::move(made)) : id;
    }
    const bool is_op = node.kind == NodeKind::op || node.kind == NodeKind::cast;
    if (!is_op && !is_plain_reduction(node)) return id;
    for (NodeId& operand : node.operands)
        if (operand != no_node && to_[operand].mask != no_node) return id;
    const std::size_t rank = to_[node.operands[0]].shape.size();
    for (NodeId& operand : node.operands)
        if (operand != no_node) operand = is_op ? first_of(once(operand), node.shape) : once(operand);
    // A node of rank 0 is its own reduction.
    if (!is_op && to_[node.operands[0]].shape.size() != rank) return node.operands[0];
    return to_.add(std::move(node));
}

NodeId RepeatedDims::repeated(NodeId id, const Shape& shape, const std::vector<std::size_t>& dims) {
    const Node& node = to_[id];
    const std::size_t rank = shape.size();
    Node made{.kind = NodeKind::view, .dtype = node.dtype, .operands = {id}, .shape = shape};
    made.attributes.assign(dims.size() * rank, 0);
    for (std::size_t d = 0; d < dims.size(); ++d)
        made.attributes[d * rank + dims[d]] = node.shape[d] == shape[dims[d]] ? 1 : 0;
    return view(std::move(made));
}

NodeId RepeatedDims::whole(NodeId id, const Shape& shape) {
    if (to_[id].shape == shape) return id;
    std::vector<std::size_t> dims(to_[id].shape.size());
    std::iota(dims.begin(), dims.end(), shape.size() - dims.size());
    return repeated(id, shape, dims);
}

NodeId RepeatedDims::both(NodeId a, NodeId b) {
    if (a == no_node) return b;
    return to_.add({.kind = NodeKind::op,
                    .op = op_id<op::LogicalAnd>,
                    .dtype = DType::boolean,
                    .operands = {a, b},
                    .shape = broadcast(to_[a].shape, to_[b].shape)});
}

NodeId RepeatedDims::with_dims(NodeId id, const std::vector<std::size_t>& left) {
    Node node = to_[id];
    // A node of rank 0 broadcasts to the dimensions of `left`.
    if (left.size() == node.shape.size() || node.shape.empty()) return id;
    const auto has_rank = [&](NodeId operand) {
        return operand == no_node || to_[operand].is_host_scalar ||
               to_[operand].shape.size() == node.shape.size();
    };
    const bool is_op =
        node.kind == NodeKind::op && node.mask == no_node && std::ranges::all_of(node.operands, has_rank);
    Shape shape;
    for (const std::size_t d : left) shape.push_back(node.shape[d]);
    if (is_op) {
        for (NodeId& operand : node.operands)
            if (operand != no_node && !to_[operand].is_host_scalar) operand = with_dims(operand, left);
        node.shape = std::move(shape);
        return to_.add(std::move(node));
    }
    const std::size_t rank = left.size();
    Node made{.kind = NodeKind::view, .dtype = node.dtype, .operands = {id}, .shape = std::move(shape)};
    made.attributes.assign(node.shape.size() * rank, 0);
    for (std::size_t j = 0; j < rank; ++j) made.attributes[left[j] * rank + j] = 1;
    return view(std::move(made));
}

}  // namespace frisket::planning
