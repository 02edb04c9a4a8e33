// SPDX-License-Identifier: MIT
#include "iteration_space.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../at.hpp"
#include "../passes/empty_masks.hpp"
#include "../shown_elements.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace frisket::planning {

using ir::at;

namespace {

bool is_and(const Node& node) {
    return node.kind == NodeKind::op &&
           (node.op == op_id<op::LogicalAnd> || node.op == op_id<op::BitwiseAnd>);
}

bool is_or(const Node& node) {
    return node.kind == NodeKind::op && (node.op == op_id<op::LogicalOr> || node.op == op_id<op::BitwiseOr>);
}

/// The number that changes no sum, product, disjunction or conjunction.
ir::KnownNumber neutral(Reduction reduction) {
    switch (reduction) {
        case Reduction::sum:
        case Reduction::any: return 0;
        case Reduction::prod:
        case Reduction::all: return 1;
        default: return {};
    }
}

bool is_where(const Node& node) { return node.kind == NodeKind::op && node.op == op_id<op::Where>; }

}  // namespace

const Shape IterationSpaceAnalysis::no_shape;

IterationSpaceAnalysis::IterationSpaceAnalysis(const Graph& graph, const IterationSpace& space)
    : graph_(graph), space_(space) {
    found_.reserve(graph.nodes.size());
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        found_.push_back(of(id));
        // Values that do not depend on the list have no positions at which to be masked.
        const NodeId mask = graph[id].mask;
        if (mask != no_node && !is_listed(id) && is_listed(mask)) found_.back().is_computable = false;
    }
}

/// True if a tensor of this shape has an element, or a row, for each position.
bool IterationSpaceAnalysis::is_whole(const Shape& shape) const {
    if (!space_.by_rows) return shape == space_.shape;
    return shape.size() == space_.shape.size() && shape[0] == space_.shape[0];
}

bool IterationSpaceAnalysis::lists(NodeId id) const {
    const Node& node = graph_[id];
    const NodeId mask = node.mask == no_node && node.dtype == DType::boolean ? id : node.mask;
    return mask != no_node && !space_.by_rows && is_computable(id) && is_listed(id) &&
           node.shape == *found(id).form && is_computable(mask) && is_zero_outside(mask);
}

Shape IterationSpaceAnalysis::shape(NodeId id, std::int64_t count) const {
    if (space_.by_rows) {
        Shape shape = graph_[id].shape;
        shape[0] = count;
        return shape;
    }
    // The rank stays, so that a value of one element broadcasts as before.
    Shape shape(found(id).form->size(), 1);
    shape.back() = count;
    return shape;
}

IterationSpaceAnalysis::Found IterationSpaceAnalysis::of(NodeId id) const {
    const Node& node = graph_[id];
    Found result;
    switch (node.kind) {
        case NodeKind::constant: result.outside = ir::known_constant(node); return result;
        case NodeKind::size: return result;
        case NodeKind::symbol:
        case NodeKind::updated:
        case NodeKind::mask_of: return of_symbol(node);
        case NodeKind::op:
        case NodeKind::to_dense:
        case NodeKind::on:
        case NodeKind::cast: return of_elementwise(node);
        case NodeKind::reduce: return of_reduction(node);
        case NodeKind::view: return of_view(node);
        case NodeKind::reshape: return of_reshape(node);
        case NodeKind::scan: return of_scan(node);
        case NodeKind::scatter:
        case NodeKind::scatter_view: return of_scatter(node);
        case NodeKind::coordinate:
            result.listed = is_whole(node.shape);
            result.form = &space_.shape;
            result.is_computable = !result.listed || (space_.by_rows && node.attributes[0] != 0);
            return result;
        default: break;
    }
    for (const NodeId operand : node.operands)
        if (operand != no_node)
            result.is_computable = result.is_computable && is_computable(operand) && !is_listed(operand);
    return result;
}

IterationSpaceAnalysis::Found IterationSpaceAnalysis::of_symbol(const Node& node) const {
    Found result;
    if (node.is_host_scalar) return result;
    // Single elements of a value that broadcasts can be listed as well; a row is repeated as it is.
    const bool has_mask = space_.has_mask[static_cast<std::size_t>(node.symbol)];
    result.listed = is_whole(node.shape) || (!space_.by_rows && (has_mask || element_count(node.shape) != 1));
    result.form = has_mask ? &node.shape : &space_.shape;
    result.is_computable = (result.listed || !has_mask) && fits(node, *result.form);
    result.inside = has_mask && node.kind == NodeKind::mask_of;
    if (result.inside) result.outside = 0;
    return result;
}

/// True if single elements of a node are at positions of the list.
bool IterationSpaceAnalysis::fits(const Node& node, const Shape& form) const {
    return space_.by_rows || broadcasts_to(node.shape, form);
}

/// True if an operand can be read at the places of `node`, single elements of which are listed in `form`.
bool IterationSpaceAnalysis::meets(const Node& node, NodeId operand, const Shape& form) const {
    const Shape& shape = graph_[operand].shape;
    if (!space_.by_rows) return is_listed(operand) ? *found(operand).form == form : element_count(shape) == 1;
    if (is_listed(operand)) return shape.size() == node.shape.size();
    return shape.size() < node.shape.size() || shape[0] == 1;
}

IterationSpaceAnalysis::Found IterationSpaceAnalysis::of_elementwise(const Node& node) const {
    Found result;
    const auto for_each_operand = [&](const auto& visit) {
        std::ranges::for_each(node.operands, visit);
        if (node.kind != NodeKind::to_dense) return;
        if (const NodeId mask = graph_[node.operands[0]].mask; mask != no_node) visit(mask);
    };
    for_each_operand([&](NodeId operand) {
        result.is_computable = result.is_computable && is_computable(operand);
        if (is_listed(operand)) result.form = found(operand).form;
        result.listed = result.listed || is_listed(operand);
        result.mixes_coordinates = result.mixes_coordinates || mixes_coordinates(operand);
    });
    if (result.listed) {
        result.is_computable = result.is_computable && fits(node, *result.form);
        for_each_operand([&](NodeId operand) {
            result.is_computable = result.is_computable && meets(node, operand, *result.form);
        });
    }
    result.outside = outside_of_elementwise(node);
    result.inside = inside_of_elementwise(node);
    return result;
}

/// Finds the value that an elementwise node has where the list has no position.
ir::KnownNumber IterationSpaceAnalysis::outside_of_elementwise(const Node& node) const {
    const auto is_zero = [&](NodeId operand) { return is_zero_outside(operand); };
    if (node.kind == NodeKind::to_dense) {
        const NodeId mask = graph_[node.operands[0]].mask;
        return mask != no_node && is_zero(mask) ? found(node.operands[1]).outside : std::nullopt;
    }
    if (is_where(node) && is_zero(node.operands[0])) return found(node.operands[2]).outside;
    std::array<ir::KnownNumber, 3> operands;
    const std::size_t count = std::min(node.operands.size(), operands.size());
    for (std::size_t i = 0; i < count; ++i) operands[i] = found(node.operands[i]).outside;
    return ir::known_result(graph_, node, std::span(operands).first(count));
}

/// Returns whether a bool is true wherever the masks of the list are true.
bool IterationSpaceAnalysis::inside_of_elementwise(const Node& node) const {
    const auto is_inside = [&](NodeId operand) { return found(operand).inside; };
    if (is_and(node)) return std::ranges::all_of(node.operands, is_inside);
    if (is_or(node)) return std::ranges::any_of(node.operands, is_inside);
    return node.kind == NodeKind::cast && node.dtype == DType::boolean && is_inside(node.operands[0]);
}

/// The products of the factors of a contraction.
Node IterationSpaceAnalysis::terms_of(const Node& node) const {
    return {.kind = NodeKind::op,
            .op = op_id<op::Mul>,
            .operands = {node.operands[0], node.operands[2]},
            .shape = reduced_shape(graph_, node)};
}

IterationSpaceAnalysis::Found IterationSpaceAnalysis::of_reduction(const Node& node) const {
    Found result;
    const bool is_contraction = is_product(node);
    const Node terms = is_contraction ? terms_of(node) : Node{};
    const Node& elements = is_contraction ? terms : graph_[node.operands[0]];
    const Found x = is_contraction ? of_elementwise(elements) : found(node.operands[0]);
    const NodeId where = node.operands[1];
    result.is_computable = x.is_computable && (where == no_node || is_computable(where));
    result.listed = x.listed;
    result.mixes_coordinates = x.mixes_coordinates;
    if (!result.listed) {
        result.is_computable = result.is_computable && (where == no_node || !is_listed(where));
        return result;
    }
    if (where != no_node) result.is_computable = result.is_computable && meets(elements, where, *x.form);
    const bool is_bool = node.reduction == Reduction::any || node.reduction == Reduction::all;
    const bool adds = node.reduction == Reduction::any || node.reduction == Reduction::sum;
    if (space_.by_rows && (node.attributes.empty() || node.attributes.front() != 0)) {
        if (where == no_node && x.outside == 0 && adds) result.outside = 0;
        result.inside = where == no_node && x.inside && is_bool && element_count(elements.shape) > 0;
        return result;
    }
    // Positions are put together: all other positions must not count.
    const bool is_position = node.reduction == Reduction::argmin || node.reduction == Reduction::argmax;
    const bool is_masked = where != no_node && is_zero_outside(where);
    const bool adds_nothing = x.outside && x.outside == neutral(node.reduction);
    const bool is_full = node.attributes.size() == elements.shape.size();
    result.is_computable = result.is_computable && (is_masked || adds_nothing);
    result.listed = false;
    result.mixes_coordinates = true;
    if (space_.by_rows) {
        result.is_computable = result.is_computable && !is_position && !has_panels(graph_, node);
        return result;
    }
    // Lists of matrices may go by columns, and terms are added by rows.
    const auto lengths = std::ranges::count_if(elements.shape, [](auto extent) { return extent != 1; });
    const bool is_ordered = !is_contraction || !is_full || lengths <= 1;
    if (!is_position && is_full && is_ordered && !has_panels(graph_, node)) return result;
    // Slices are found by their positions; without a mask, missing elements are 0.
    const bool is_known = node.mask != no_node || adds;
    const bool has_places = !is_contraction || (is_listed(node.operands[0]) && is_listed(node.operands[2]));
    result.reduces =
        result.is_computable && elements.shape == *x.form && is_known && has_places && is_ordered;
    result.is_computable = false;
    return result;
}

/// Along a row.
IterationSpaceAnalysis::Found IterationSpaceAnalysis::of_scan(const Node& node) const {
    const NodeId x = node.operands[0], where = node.operands[1];
    Found result;
    result.is_computable =
        is_computable(x) && (where == no_node || (is_computable(where) && is_listed(where) == is_listed(x)));
    result.listed = is_listed(x);
    result.mixes_coordinates = mixes_coordinates(x);
    if (result.listed && !space_.by_rows) {
        const bool is_masked =
            where != no_node && is_zero_outside(where) && node.mask != no_node && is_zero_outside(node.mask);
        result.reduces = result.is_computable && is_masked && !is_recurrence(node) &&
                         node.shape == *found(x).form && meets(node, where, *found(x).form);
        result.is_computable = result.listed = false;
        return result;
    }
    if (result.listed) result.is_computable = result.is_computable && node.attributes[0] != 0;
    if (is_recurrence(node)) {
        const NodeId factor = node.operands[2];
        result.is_computable =
            result.is_computable && is_computable(factor) && is_listed(factor) == result.listed;
        result.mixes_coordinates = result.mixes_coordinates || mixes_coordinates(factor);
    }
    return result;
}

IterationSpaceAnalysis::Found IterationSpaceAnalysis::of_scatter(const Node& node) const {
    const NodeId x = node.operands[0], where = node.operands[1];
    const auto is_whole_too = [&](NodeId operand) {
        return operand == no_node || (is_computable(operand) && !is_listed(operand));
    };
    Found result;
    result.is_computable = std::ranges::all_of(node.operands, is_whole_too);
    if (space_.by_rows || where == no_node || !is_listed(where) || !is_zero_outside(where)) return result;
    const Shape& form = *found(where).form;
    result.reduces = is_computable(x) && is_computable(where) && graph_[x].shape == form &&
                     graph_[where].shape == form && (!is_listed(x) || *found(x).form == form);
    return result;
}

/// Rows stay rows if dimension 0 of the operand is dimension 0 of the result, and no other dimension reads
/// it.
IterationSpaceAnalysis::Found IterationSpaceAnalysis::of_view(const Node& node) const {
    const NodeId x = node.operands[0];
    Found result = found(x);
    result.reduces = false;
    if (!result.listed) {
        result.inside = false;
        // One element that is repeated is at each position.
        const bool is_repeated = element_count(graph_[x].shape) == 1 &&
                                 std::ranges::all_of(node.attributes, [](auto step) { return step == 0; });
        if (!is_repeated || space_.by_rows || node.shape != space_.shape || !node.offsets.empty())
            return result;
        result.listed = true;
        result.form = &node.shape;
        return result;
    }
    if (!space_.by_rows && result.is_computable && broadcasts_to(node.shape, *result.form) &&
        is_broadcast(graph_, node))
        return result;
    if (!space_.by_rows) return of_reshape(node);
    const std::size_t rank = node.shape.size();
    bool keeps = rank > 0 && node.shape[0] == space_.shape[0];
    for (std::size_t d = 0; keeps && d < graph_[x].shape.size(); ++d)
        for (std::size_t j = 0; j < rank; ++j) {
            const std::int64_t step = node.attributes[d * rank + j];
            keeps = keeps && (d == 0 || j == 0 ? step == (d == 0 && j == 0 ? 1 : 0) : true);
        }
    keeps = keeps && (node.offsets.empty() || node.offsets[0] == 0);
    result.is_computable = result.is_computable && keeps;
    return result;
}

IterationSpaceAnalysis::Found IterationSpaceAnalysis::of_reshape(const Node& node) const {
    const NodeId x = node.operands[0];
    Found result = found(x);
    result.reduces = false;
    if (!result.listed) {
        result.outside.reset();
        result.inside = false;
        return result;
    }
    if (!space_.by_rows) {
        // CoordinateSet are row-major positions.
        result.is_computable =
            result.is_computable && graph_[x].shape == *result.form && keeps_order(graph_, node);
        result.form = &node.shape;
        return result;
    }
    result.is_computable = result.is_computable && !node.shape.empty() && node.shape[0] == space_.shape[0] &&
                           element_count(node.shape) > 0;
    return result;
}

bool keeps_order(const Graph& graph, const Node& node) {
    if (node.kind == NodeKind::reshape) return true;
    if (node.kind != NodeKind::view) return false;
    const Shape& from = graph[node.operands[0]].shape;
    if (element_count(from) != element_count(node.shape)) return false;
    const std::size_t rank = node.shape.size();
    std::size_t next = 0;  // dimension of the result that has not been seen
    const auto skip_ones = [&] {
        while (next < rank && node.shape[next] == 1) ++next;
    };
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (from[d] == 1) continue;
        skip_ones();
        if (next == rank || node.shape[next] != from[d]) return false;
        if (!node.offsets.empty() && node.offsets[d] != 0) return false;
        for (std::size_t j = 0; j < rank; ++j)
            if (node.shape[j] != 1 && node.attributes[d * rank + j] != (j == next ? 1 : 0)) return false;
        ++next;
    }
    return true;
}

bool is_broadcast(const Graph& graph, const Node& view) {
    const Shape& from = graph[view.operands[0]].shape;
    if (from == view.shape || !broadcasts_to(from, view.shape)) return false;
    const std::size_t rank = view.shape.size();
    return ir::before_view(ir::all_of(view.shape, rank), view, from) == ir::all_of(from, rank);
}

NodeId before_moves(const Graph& graph, NodeId id) {
    while (keeps_order(graph, graph[id])) id = graph[id].operands[0];
    return id;
}

}  // namespace frisket::planning
