// SPDX-License-Identifier: MIT
#include <Halide.h>

#include <algorithm>

#include "../../ir/rewrite.hpp"
#include "../limits.hpp"
#include "expression_lowerer.hpp"
#include "product.hpp"

/// Sums of products: their factors, and the masks of each.
namespace frisket::codegen {

using Halide::Expr;
using lowering::Value;

namespace {

/// True for the dimensions of a shape along which a tensor that broadcasts to it varies.
std::vector<bool> dims_of(const Graph& graph, NodeId id, const Shape& shape) {
    const Node& node = graph[id];
    std::vector<bool> found(shape.size(), false);
    const std::size_t rank = node.shape.size(), added = shape.size() - rank;
    for (std::size_t j = 0; j < rank; ++j) {
        bool is_repeated = node.shape[j] != shape[j + added];
        if (node.kind == NodeKind::view) {
            bool is_seen = false;
            for (std::size_t at = j; at < node.attributes.size(); at += rank)
                is_seen = is_seen || node.attributes[at] != 0;
            is_repeated = is_repeated || !is_seen;
        }
        found[j + added] = !is_repeated;
    }
    return found;
}

/// True if each dimension in `part` is in `all`; dimensions of one element do not count.
bool is_within(const std::vector<bool>& part, const std::vector<bool>& all, const Shape& shape) {
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (part[d] && !all[d] && shape[d] != 1) return false;
    return true;
}

bool meet(const std::vector<bool>& a, const std::vector<bool>& b) {
    for (std::size_t d = 0; d < a.size(); ++d)
        if (a[d] && b[d]) return true;
    return false;
}

/// True if a factor is a number, most likely 0, where a mask or a condition is false.
bool has_zeros(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    if (node.kind == NodeKind::view) return has_zeros(graph, node.operands[0]);
    if (node.kind == NodeKind::to_dense) return graph[node.operands[0]].mask != no_node;
    return node.kind == NodeKind::op && node.op == op_id<op::Where> && graph[node.operands[2]].is_host_scalar;
}

/// True if one node is computed from the other, or is it.
bool depends_on(const Graph& graph, NodeId id, NodeId other) {
    std::vector<bool> depends(graph.nodes.size(), false);
    depends[static_cast<std::size_t>(other)] = true;
    for (NodeId node = other + 1; node <= id; ++node)
        ir::for_each_id(graph[node], [&](NodeId operand) {
            if (operand != no_node && depends[static_cast<std::size_t>(operand)])
                depends[static_cast<std::size_t>(node)] = true;
        });
    return depends[static_cast<std::size_t>(id)];
}

using AtTerms = std::function<Value(const IndexTuple& place)>;

AtTerms both(const AtTerms& a, const AtTerms& b) {
    if (!a) return b;
    return [a, b](const IndexTuple& place) { return a(place) && b(place); };
}

}  // namespace

/// Masks of terms, by the factor along whose dimensions they vary.  One that is the same for all terms of a
/// slice need not be looked at: where it is false, so is the mask of the result.
void ExpressionLowerer::take_masks(const Node& node, const Shape& shape, const ProductLoops& loops,
                                   ProductFactors& factors) {
    for (const NodeId mask : conjuncts_of(graph_, node.operands[1])) {
        const std::vector<bool> dims = dims_of(graph_, mask, shape);
        if (!meet(dims, loops.reduced)) continue;
        const AtTerms at_terms = [this, mask, shape](const IndexTuple& place) {
            return at(mask, broadcast_index(mask, shape, place));
        };
        AtTerms& own = is_within(dims, loops.in_left, shape)    ? factors.left_mask
                       : is_within(dims, loops.in_right, shape) ? factors.right_mask
                                                                : factors.specified;
        own = both(own, at_terms);
    }
}

/// Tells where such a factor may be other than 0.
Value ExpressionLowerer::nonzero_at(NodeId id, const IndexTuple& place) {
    const Node& node = graph_[id];
    if (node.kind == NodeKind::view) return nonzero_at(node.operands[0], place_of_view(id, node, place));
    const bool is_filled = node.kind == NodeKind::to_dense;
    const NodeId where = is_filled ? graph_[node.operands[0]].mask : node.operands[0];
    const Value fill = operand(node, is_filled ? 1 : 2, place);
    return at(where, broadcast_index(where, node.shape, place)) ||
           fill != lowering::constant(0.0, node.dtype);
}

ProductLoops ExpressionLowerer::product_loops(NodeId id, const Node& node) {
    const ReductionLoops terms = loops_of(id);
    const Shape shape = reduced_shape(graph_, node);
    ProductLoops loops{.extents = terms.extents,
                       .reduced = terms.reduced,
                       .in_left = dims_of(graph_, node.operands[0], shape),
                       .in_right = dims_of(graph_, node.operands[2], shape),
                       .kept = terms.kept,
                       .lanes = terms.lanes,
                       .parallel = on_device_ ? form_.parallel : terms.parallel,
                       .on_device = on_device_,
                       .has_panels = std::ranges::find(form_.panels, id) != form_.panels.end(),
                       .is_in_rows = rows_.contains(id),
                       .tile_rows = rows_of_tile(form_)};
    loops.has_few_sums = std::ranges::find(form_.few, id) != form_.few.end();
    loops.is_narrow = std::ranges::find(form_.narrow, id) != form_.narrow.end();
    if (form_.schedule.product_vectors != 0) {
        loops.tile_vectors = form_.schedule.product_vectors;
        loops.is_narrow = false;
    }
    return loops;
}

ProductFactors ExpressionLowerer::product_factors(const Node& node, const ProductLoops& loops) {
    const DType dtype = operand_dtype(graph_, node, 0);
    const Shape shape = reduced_shape(graph_, node);
    const auto factor = [&](NodeId operand) {
        return [this, shape, operand, dtype](const IndexTuple& place) {
            return read(operand, dtype, broadcast_index(operand, shape, place));
        };
    };
    ProductFactors factors{
        .dtype = dtype, .left = factor(node.operands[0]), .right = factor(node.operands[2])};
    take_masks(node, shape, loops, factors);
    const auto nonzero = [&](NodeId operand) -> AtTerms {
        if (!has_zeros(graph_, operand)) return {};
        return [this, shape, operand](const IndexTuple& place) {
            return nonzero_at(operand, broadcast_index(operand, shape, place));
        };
    };
    factors.left_nonzero = nonzero(node.operands[0]);
    factors.right_nonzero = nonzero(node.operands[2]);
    return factors;
}

/// Floats by multiplying and adding at once, in the order of the terms; integers as they are summed.
ExpressionLowerer::Stored ExpressionLowerer::contraction(NodeId id, const Node& node) {
    const DType dtype = operand_dtype(graph_, node, 0);
    if (!info_of(dtype).is_float) return {folded(loops_of(id), {fold_of(node, node.reduction)}), 0, dtype};
    const ProductLoops loops = product_loops(id, node);
    ProductFactors factors = product_factors(node, loops);
    if (const NodeId wanted = wanted_where(id); wanted != no_node && !depends_on(graph_, wanted, id))
        factors.wanted = [this, wanted, &node](const IndexTuple& place) {
            return at(wanted, broadcast_index(wanted, node.shape, place));
        };
    const TiledProduct made = tiled_product(loops, factors);
    kinds_.add(made.kinds);
    return {stored_product(made, loops.kept), 0, dtype};
}

/// The only mask or condition under which a node is read: no_node for none, or several.
NodeId ExpressionLowerer::wanted_where(NodeId id) const {
    constexpr NodeId unread = -2;
    std::vector<NodeId> wanted(graph_.nodes.size(), unread);
    const auto read = [&](NodeId node, NodeId where) {
        if (node == no_node) return;
        NodeId& own = wanted[static_cast<std::size_t>(node)];
        own = own == unread || own == where ? where : no_node;
    };
    for (const NodeId result : graph_.results) read(result, no_node);
    for (const Check& check : graph_.checks) {
        read(check.bad, no_node);
        read(check.elements, no_node);
        read(check.value, no_node);
    }
    for (auto reader = static_cast<NodeId>(graph_.nodes.size()); reader-- > id + 1;) {
        const Node& node = graph_[reader];
        const NodeId own = wanted[static_cast<std::size_t>(reader)];
        if (own == unread) continue;
        read(node.mask, no_node);
        const bool is_choice = node.kind == NodeKind::op && node.op == op_id<op::Where>;
        for (std::size_t i = 0; i < node.operands.size(); ++i) {
            const NodeId operand = node.operands[i];
            const bool is_alike =
                operand != no_node && is_elementwise(node.kind) && graph_[operand].shape == node.shape;
            read(operand, !is_alike                             ? no_node
                          : node.kind == NodeKind::on && i == 0 ? node.operands[1]
                          : is_choice && i == 1                 ? node.operands[0]
                                                                : own);
        }
    }
    const NodeId found = wanted[static_cast<std::size_t>(id)];
    return found == unread ? no_node : found;
}

/// An element of the product by whose tiles the result is stored, at the place of the result.
Value ExpressionLowerer::tile_of_result(NodeId id, const Node& node) {
    if (!tile_) {
        ProductLoops loops = product_loops(id, node);
        loops.parallel = form_.parallel;
        loops.is_in_rows = false;
        loops.task_rows = rows_in_cache();
        tile_ = tiled_product(loops, product_factors(node, loops));
        kinds_.add(tile_->kinds);
    }
    return {tile_->value};
}

/// Rows of which all that is computed by rows fits into a cache; nothing if nothing is.
Expr ExpressionLowerer::rows_in_cache() {
    Expr width;
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
        const int rank = static_cast<int>(graph_[id].shape.size());
        const bool is_stored = info_of(graph_[id].kind).accumulates || in_memory_.contains(id);
        if (id == rows_.product_of_result() || !rows_.contains(id) || !is_stored) continue;
        const Expr own = rank > rows_.rank() ? extent(id, rank - 1) : Expr(1);
        width = width.defined() ? Halide::max(width, own) : own;
    }
    return width.defined() ? Halide::max(limits::cached_row_elements / Halide::max(width, 1), 1) : Expr();
}

}  // namespace frisket::codegen
