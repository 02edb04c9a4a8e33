// SPDX-License-Identifier: MIT
#include "list_products.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"
#include "../shown_elements.hpp"
#include "iteration_space.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace frisket::planning {

using ir::at;

bool is_bare(const Graph& graph, const Node& node) {
    if (node.kind != NodeKind::cast || node.mask != no_node) return false;
    const Node& masked = graph[node.operands[0]];
    return masked.mask != no_node && masked.dtype == node.dtype;
}

namespace {

/// The masked tensor whose values a node is, without its mask, before views and reshapes that keep the order
/// of elements; else the node.
NodeId masked_values(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    if (!is_bare(graph, node)) return id;
    const NodeId values = node.operands[0], moved = before_moves(graph, values);
    const NodeId mask = graph[moved].mask;
    const bool has_its_mask =
        mask != no_node && before_moves(graph, mask) == before_moves(graph, graph[values].mask);
    return has_its_mask ? moved : values;
}

/// True for a view that shows a matrix transposed.
bool is_transposition(const Graph& graph, const Node& node) {
    return node.kind == NodeKind::view && node.shape.size() == 2 && node.offsets.empty() &&
           node.attributes == std::vector<std::int64_t>{0, 1, 1, 0} &&
           graph[node.operands[0]].shape == Shape{node.shape[1], node.shape[0]};
}

/// Takes a masked matrix that a view shows transposed, instead of the view.
void take_transposed(const Graph& graph, SeenMatrix& matrix) {
    const Node& node = graph[matrix.id];
    if (node.mask == no_node || !is_transposition(graph, node)) return;
    const NodeId from = node.operands[0], mask = graph[from].mask;
    if (mask == no_node || !is_transposition(graph, graph[node.mask]) || graph[node.mask].operands[0] != mask)
        return;
    matrix.id = from;
    matrix.is_transposed = !matrix.is_transposed;
}

/// Elements of an instruction that terms see, whose indices are the variables.
struct SeenElements {
    NodeId id = no_node;
    std::vector<ir::Index> indices;
    bool operator==(const SeenElements&) const = default;
};

/// All elements of an instruction that broadcasts to `rank` dimensions.
SeenElements all_of(const Graph& graph, NodeId id, std::size_t rank) {
    return {.id = id, .indices = ir::all_of(graph[id].shape, rank)};
}
SeenElements all_of(const Graph& graph, NodeId id) { return all_of(graph, id, graph[id].shape.size()); }

/// The index along a dimension as a variable.
ir::Index variable(std::size_t number, std::int64_t extent) {
    ir::Index index;
    if (extent != 1) index.terms = {{number, 1}};
    return index;
}

/// Elements of the operand of a view or of a reshape by extents of 1, the same; nothing for another
/// instruction.
std::optional<SeenElements> seen_through(const Graph& graph, const SeenElements& seen) {
    const Node& node = graph[seen.id];
    if (node.operands.empty()) return {};
    const NodeId shown = node.operands[0];
    const Shape& shape = graph[shown].shape;
    if (node.kind == NodeKind::view)
        return SeenElements{.id = shown, .indices = ir::before_view(seen.indices, node, shape)};
    if (node.kind != NodeKind::reshape) return {};
    auto before = ir::before_reshape(seen.indices, node, shape);
    return before ? std::optional(SeenElements{.id = shown, .indices = *std::move(before)}) : std::nullopt;
}

/// The elements of the instruction that is shown, through all views.
SeenElements seen_at_last(const Graph& graph, SeenElements seen) {
    while (auto through = seen_through(graph, seen)) seen = std::move(*through);
    return seen;
}

/// The elements of its mask that terms see where they see a factor; nothing without a mask.
std::optional<SeenElements> mask_seen_with(const Graph& graph, NodeId terms, std::size_t rank) {
    SeenElements seen = all_of(graph, terms, rank);
    for (;;) {
        const Node& node = graph[seen.id];
        if (node.mask != no_node) {
            seen.id = node.mask;
            return seen_at_last(graph, std::move(seen));
        }
        if (node.kind == NodeKind::cast)
            seen.id = node.operands[0];
        else if (auto through = seen_through(graph, seen))
            seen = std::move(*through);
        else
            return {};
    }
}

/// The mask of a factor of a product.
struct FactorMask {
    NodeId mask = no_node;             ///< mask of the matrix
    NodeId terms = no_node;            ///< the matrix in the dimensions of terms
    std::optional<SeenElements> seen;  ///< dimensions of its mask, with the matrix
};

/// The masks of the factors of a product, as its terms see them.
class FactorMasks {
public:
    /// `rank`: dimensions of the terms.
    FactorMasks(const Graph& graph, std::size_t rank) : graph_(graph), rank_(rank) {}

    void add(NodeId mask, NodeId terms) {
        if (mask != no_node) masks_.push_back({mask, terms, mask_seen_with(graph_, terms, rank_)});
    }
    /// True if a mask is the conjunction of these; notes which it reads.
    bool is_both(NodeId id, std::set<NodeId>& read) const {
        if (const FactorMask* const factor = seen_with(id)) {
            read.insert(factor->mask);
            return true;
        }
        const Node& node = graph_[id];
        return node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd> &&
               is_both(node.operands[0], read) && is_both(node.operands[1], read);
    }

private:
    /// The mask that terms see as they see the factor that it belongs to, at the same elements of its matrix;
    /// null if it is none of these.  The mask of one factor may also be in place of the other factor's, or of
    /// the result's.
    const FactorMask* seen_with(NodeId id) const {
        std::optional<SeenElements> seen;
        for (const FactorMask& factor : masks_) {
            if (graph_[factor.terms].mask == id) return &factor;
            if (graph_[id].shape.size() < graph_[factor.terms].shape.size()) continue;
            if (!seen) seen = seen_at_last(graph_, all_of(graph_, id, rank_));
            if (factor.seen == seen) return &factor;
        }
        return nullptr;
    }

    const Graph& graph_;
    std::size_t rank_;
    std::vector<FactorMask> masks_;
};

}  // namespace

std::vector<bool> read_as_terms(const Graph& graph) {
    std::vector<bool> are(graph.nodes.size());
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
        const Node& node = graph.nodes[i];
        const bool passes = is_move(node.kind) || (node.kind == NodeKind::cast && node.mask == no_node) ||
                            (node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>);
        if (!is_product(node) && !(are[i] && passes)) continue;
        const std::size_t rank = is_product(node) ? reduced_shape(graph, node).size() : node.shape.size();
        ir::for_each_id(node, [&](NodeId operand) {
            if (operand != no_node && graph[operand].shape.size() == rank) are[at(operand)] = true;
        });
    }
    return are;
}

bool shows_same(const Graph& graph, NodeId a, NodeId b) {
    const std::size_t rank = std::max(graph[a].shape.size(), graph[b].shape.size());
    return a == b ||
           seen_at_last(graph, all_of(graph, a, rank)) == seen_at_last(graph, all_of(graph, b, rank));
}

bool is_any_term(const Graph& graph, const Node& product) {
    const Node& any = graph[product.mask];
    return any.kind == NodeKind::reduce && any.reduction == Reduction::any &&
           any.operands[0] == product.operands[1] && any.attributes == product.attributes;
}

bool is_any_entry(const Graph& graph, const Node& product) {
    if (product.operands[1] == no_node || product.mask == no_node) return false;
    const std::span<const std::int64_t> reduced = product.attributes;
    const Shape terms = reduced_shape(graph, product);
    std::vector<std::size_t> kept;
    for (std::size_t d = 0; d < terms.size(); ++d)
        if (std::ranges::find(reduced, static_cast<std::int64_t>(d)) == reduced.end()) kept.push_back(d);
    SeenElements of_mask{.id = product.mask, .indices = {}};
    for (std::size_t d = 0; d < kept.size(); ++d)
        of_mask.indices.push_back(variable(kept[d], product.shape[d]));
    of_mask = seen_at_last(graph, std::move(of_mask));
    const Node& any = graph[of_mask.id];
    if (any.kind != NodeKind::reduce || any.reduction != Reduction::any || any.operands[1] != no_node ||
        any.attributes.size() != reduced.size())
        return false;
    const Shape& shape = graph[any.operands[0]].shape;
    for (std::size_t i = 0; i < reduced.size(); ++i) {
        const auto line = any.attributes[i];
        const auto d = static_cast<std::size_t>(reduced[i]);
        if (shape[at(line)] != terms[d]) return false;
        of_mask.indices.insert(of_mask.indices.begin() + line, variable(d, terms[d]));
    }
    of_mask.id = any.operands[0];
    return seen_at_last(graph, std::move(of_mask)) == seen_at_last(graph, all_of(graph, product.operands[1]));
}

std::optional<ListProduct> masked_product(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    if (!is_product(node) || node.operands[1] == no_node) return {};
    const auto matrices = product_matrices(graph, node);
    if (!matrices) return {};
    ListProduct made{.id = id, .matrices = *matrices};
    FactorMasks masks(graph, reduced_shape(graph, node).size());
    for (const SeenMatrix& seen : {made.matrices.left, made.matrices.right})
        masks.add(graph[masked_values(graph, seen.id)].mask, seen.of_terms);
    std::set<NodeId> read;
    if (!masks.is_both(node.operands[1], read)) return {};
    for (SeenMatrix* const matrix : {&made.matrices.left, &made.matrices.right}) {
        // A factor whose mask no term reads is specified wherever the other is: it is read as dense.
        const NodeId values = masked_values(graph, matrix->id);
        if (read.contains(graph[values].mask)) matrix->id = values;
        const NodeId mask = graph[matrix->id].mask;
        if (mask == no_node || read.contains(mask)) continue;
        if (!is_bare(graph, graph[matrix->of_terms])) return {};
        matrix->id = matrix->of_terms;
        matrix->is_transposed = !matrix->is_transposed;
    }
    made.matrices = without_single_rows(std::move(made.matrices));
    return made;
}

std::optional<ListProduct> list_product(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    if (!is_product(node) || node.mask == no_node) return {};
    if (!is_any_term(graph, node) && !is_any_entry(graph, node)) return {};
    auto made = masked_product(graph, id);
    if (!made || node.mask < made->matrices.left.id || node.mask < made->matrices.right.id) return {};
    take_transposed(graph, made->matrices.left);
    take_transposed(graph, made->matrices.right);
    return made;
}

std::optional<ListProduct> pattern_product(const Graph& graph, NodeId id) {
    const Node& any = graph[id];
    if (any.kind != NodeKind::reduce || any.reduction != Reduction::any || any.operands[1] != no_node)
        return {};
    const Node& both = graph[any.operands[0]];
    if (both.kind != NodeKind::op || both.op != op_id<op::LogicalAnd>) return {};
    Node product = any;
    product.reduction = Reduction::contract;
    product.operands = {both.operands[0], any.operands[0], both.operands[1]};
    auto matrices = product_matrices(graph, product);
    if (!matrices) return {};
    return ListProduct{.id = id, .matrices = without_single_rows(*std::move(matrices)), .is_pattern = true};
}

}  // namespace frisket::planning
