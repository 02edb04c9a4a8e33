// SPDX-License-Identifier: MIT
#include "list_analysis.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../at.hpp"
#include "../rewrite.hpp"
#include "../shown_elements.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace frisket::planning {

namespace {

bool is_list(const Node& node, const PlanFacts& facts) {
    return node.symbol >= 0 && !node.is_host_scalar && facts[node.symbol].is_list();
}

}  // namespace

std::vector<bool> reading_lists(const Graph& graph, const PlanFacts& facts) {
    std::vector<bool> reads_list;
    reads_list.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) {
        const auto reads = [&](NodeId operand) { return operand != no_node && reads_list[at(operand)]; };
        reads_list.push_back(is_list(node, facts) || reads(node.mask) ||
                             std::ranges::any_of(node.operands, reads));
    }
    return reads_list;
}

bool is_made_of(const Graph& graph, NodeId id, NodeId part) {
    std::vector<bool> reads(at(std::max(id, part)) + 1);
    reads[at(part)] = true;
    for (NodeId next = part + 1; next <= id; ++next)
        ir::for_each_id(graph[next], [&](NodeId operand) {
            if (operand != no_node && reads[at(operand)]) reads[at(next)] = true;
        });
    return reads[at(id)];
}

std::int64_t capped_count(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        if (__builtin_mul_overflow(count, extent, &count)) return std::numeric_limits<std::int64_t>::max();
    return count;
}

TensorSizes::TensorSizes(const PlanRequest& request) : request_(request) {
    constexpr std::int64_t usual_features = 4;  // numbers of each index along an extent
    const Graph& graph = request.graph;
    for (const Symbol& symbol : graph.symbols) {
        if (symbol.shape.size() <= 1) continue;
        const std::int64_t extent = std::ranges::max(symbol.shape);
        longest_ = std::max(longest_, extent);
        if (extent < longest_line) largest_ = std::max(largest_, usual_features * extent);
    }
    for (int i = 0; i < std::ssize(graph.symbols); ++i)
        if (holds_argument(i)) largest_ = std::max(largest_, capped_count(graph.symbols[at(i)].shape));
}

bool TensorSizes::is_line(const Shape& shape) const {
    return std::ranges::count_if(shape, [](auto extent) { return extent != 1; }) <= 1 &&
           capped_count(shape) <= longest_;
}

bool TensorSizes::holds(const Shape& shape) const {
    constexpr std::int64_t times = 4;
    return is_line(shape) || capped_count(shape) / times <= largest_;
}

bool TensorSizes::holds_argument(int symbol) const {
    const Format& format = request_.facts[symbol];
    return !format.is_list() || is_line(request_.graph.symbols[at(symbol)].shape) ||
           (runtime::lists_rows(format.layout) && request_.is_made(symbol));
}

std::vector<bool> may_be_whole(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const TensorSizes sizes(request);
    std::vector<bool> may_be;
    may_be.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) {
        bool is_good = node.symbol < 0 || node.is_host_scalar || sizes.holds_argument(node.symbol);
        if (info_of(node.kind).accumulates) is_good = is_good && sizes.holds(node.shape);
        const auto add = [&](NodeId operand) {
            is_good = is_good && (operand == no_node || may_be[at(operand)]);
        };
        std::ranges::for_each(node.operands, add);
        add(node.mask);
        may_be.push_back(is_good);
    }
    return may_be;
}

ListAnalysis::ListAnalysis(const PlanRequest& request, const IterationSpace& space)
    : graph_(request.graph),
      facts_(request.facts),
      nodes_(request.graph, space),
      reads_list_(reading_lists(request.graph, request.facts)) {}

bool ListAnalysis::is_list(NodeId id) const { return planning::is_list(graph_[id], facts_); }

bool ListAnalysis::is_list_with_its_mask(NodeId id) const {
    const Node& node = graph_[id];
    return is_list(id) && (node.mask == no_node || graph_[node.mask].symbol == node.symbol);
}

bool is_list_gather(const ListAnalysis& lists, const Node& gather) {
    const Graph& graph = lists.graph();
    const auto indices = std::span(gather.operands).subspan(1);
    if (!std::ranges::all_of(indices, [&](NodeId id) { return lists.is_dense(id); })) return false;
    return list_kernels::selects_lines(
        gather_of(gather, graph[gather.operands[0]].shape, shapes_of(graph, indices)));
}

Layout moved_layout(const Node& move, Layout layout) {
    if (move.shape.size() != 2 || !runtime::lists_elements(layout)) return Layout::coo;
    const std::vector<std::int64_t>& given = move.attributes;
    const auto is_along = [&](std::size_t d) { return given[d] == static_cast<std::int64_t>(d); };
    const bool stays = move.kind == NodeKind::cat ||
                       (move.kind == NodeKind::gather
                            ? given.size() == 2 && (is_along(0) ? given[1] != 0 : is_along(1) && given[0] < 0)
                            : given.size() == 4 && given[1] == 0 && given[2] == 0);
    return stays ? layout : Layout::coo;
}

std::vector<Shape> shapes_of(const Graph& graph, std::span<const NodeId> ids) {
    std::vector<Shape> shapes;
    for (const NodeId id : ids) shapes.push_back(graph[id].shape);
    return shapes;
}

namespace {

/// A matrix, or as it is transposed.
struct SeenMatrix {
    NodeId id = no_node;
    bool is_transposed = false;
};

/// The matrix that stands in three dimensions, of which the one named has extent 1: what a view shows, or the
/// instruction itself, whose elements have the same order.  no_node if there is none.
SeenMatrix matrix_of(const Graph& graph, NodeId id, std::size_t added) {
    const Node& node = graph[id];
    if (node.shape.size() != 3 || node.shape[added] != 1) return {};
    if (keeps_order(graph, node)) return {node.operands[0]};
    if (node.kind != NodeKind::view) return {id};
    const Shape& shape = graph[node.operands[0]].shape;
    const std::size_t first = added == 0 ? 1 : 0, second = added == 2 ? 1 : 2;
    const SeenMatrix itself = node.mask == no_node ? SeenMatrix{id} : SeenMatrix{};
    if (!node.offsets.empty() || shape != Shape{node.shape[second], node.shape[first]}) return itself;
    std::vector<std::int64_t> transposed(6, 0);
    transposed[second] = transposed[3 + first] = 1;
    return node.attributes == transposed ? SeenMatrix{node.operands[0], true} : itself;
}

/// The masked tensor whose values a node is, without its mask, before views and reshapes that keep the order
/// of elements; else the node.
NodeId masked_values(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    const bool is_bare = node.kind == NodeKind::cast && node.mask == no_node;
    if (!is_bare || graph[node.operands[0]].mask == no_node) return id;
    if (graph[node.operands[0]].dtype != node.dtype) return id;
    const NodeId values = node.operands[0], moved = before_moves(graph, values);
    const NodeId mask = graph[moved].mask;
    const bool has_its_mask =
        mask != no_node && before_moves(graph, mask) == before_moves(graph, graph[values].mask);
    return has_its_mask ? moved : values;
}

/// True of a view that shows a matrix transposed.
bool is_transposition(const Graph& graph, const Node& node) {
    return node.kind == NodeKind::view && node.shape.size() == 2 && node.offsets.empty() &&
           node.attributes == std::vector<std::int64_t>{0, 1, 1, 0} &&
           graph[node.operands[0]].shape == Shape{node.shape[1], node.shape[0]};
}

/// Takes a masked matrix that a view shows transposed, instead of the view.
void take_transposed(const Graph& graph, NodeId& matrix, bool& is_transposed) {
    const Node& node = graph[matrix];
    if (node.mask == no_node || !is_transposition(graph, node)) return;
    const NodeId from = node.operands[0], mask = graph[from].mask;
    if (mask == no_node || !is_transposition(graph, graph[node.mask]) || graph[node.mask].operands[0] != mask)
        return;
    matrix = from;
    is_transposed = !is_transposed;
}

/// Elements of an instruction that terms see, whose indices are the variables.
struct SeenElements {
    NodeId id = no_node;
    std::vector<ir::Index> indices;
    bool operator==(const SeenElements&) const = default;
};

SeenElements all_of(const Graph& graph, NodeId id) {
    const Shape& shape = graph[id].shape;
    return {.id = id, .indices = ir::all_of(shape, shape.size())};
}

/// The index along a dimension as a variable.
ir::Index variable(std::size_t number, std::int64_t extent) {
    ir::Index index;
    if (extent != 1) index.terms = {{number, 1}};
    return index;
}

/// Elements of what a view or a reshape by extents of 1 shows, the same; nothing for another instruction.
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
std::optional<SeenElements> mask_seen_with(const Graph& graph, NodeId terms) {
    SeenElements seen = all_of(graph, terms);
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
    NodeId terms = no_node;            ///< the matrix in three dimensions, as terms see it
    std::optional<SeenElements> seen;  ///< of its mask, with the matrix
};

/// The mask that terms see as they see the factor that it belongs to, at the same elements of its matrix;
/// null if it is none of these.  The mask of one factor may stand at the place of the other, or of the
/// result, too.
const FactorMask* seen_with(const Graph& graph, NodeId id, const std::vector<FactorMask>& masks) {
    std::optional<SeenElements> seen;
    for (const FactorMask& factor : masks) {
        if (graph[factor.terms].mask == id) return &factor;
        if (graph[id].shape.size() != graph[factor.terms].shape.size()) continue;
        if (!seen) seen = seen_at_last(graph, all_of(graph, id));
        if (factor.seen == seen) return &factor;
    }
    return nullptr;
}

/// True if a mask is the conjunction of these, as the terms of a product see them; notes which it reads.
bool is_both(const Graph& graph, NodeId id, const std::vector<FactorMask>& masks, std::set<NodeId>& read) {
    if (const FactorMask* const factor = seen_with(graph, id, masks)) {
        read.insert(factor->mask);
        return true;
    }
    const Node& node = graph[id];
    return node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd> &&
           is_both(graph, node.operands[0], masks, read) && is_both(graph, node.operands[1], masks, read);
}

}  // namespace

std::vector<bool> read_as_terms(const Graph& graph) {
    std::vector<bool> are(graph.nodes.size());
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
        const Node& node = graph.nodes[i];
        const bool passes =
            is_move(node.kind) || (node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>);
        if (!is_product(node) && !(are[i] && passes)) continue;
        const std::size_t rank = is_product(node) ? reduced_shape(graph, node).size() : node.shape.size();
        for (const NodeId operand : node.operands)
            if (operand != no_node && graph[operand].shape.size() == rank) are[at(operand)] = true;
    }
    return are;
}

bool shows_same(const Graph& graph, NodeId a, NodeId b) {
    return a == b || (graph[a].shape.size() == graph[b].shape.size() &&
                      seen_at_last(graph, all_of(graph, a)) == seen_at_last(graph, all_of(graph, b)));
}

bool is_any_term(const Graph& graph, const Node& product) {
    const Node& any = graph[product.mask];
    return any.kind == NodeKind::reduce && any.reduction == Reduction::any &&
           any.operands[0] == product.operands[1] && any.attributes == product.attributes;
}

bool is_any_entry(const Graph& graph, const Node& product) {
    if (product.attributes.size() != 1 || product.operands[1] == no_node || product.mask == no_node)
        return false;
    const SeenElements of_terms = seen_at_last(graph, all_of(graph, product.operands[1]));
    const auto reduced = static_cast<std::size_t>(product.attributes[0]);
    SeenElements of_mask{.id = product.mask, .indices = {}};
    for (std::size_t d = 0; d < product.shape.size(); ++d)
        of_mask.indices.push_back(variable(d < reduced ? d : d + 1, product.shape[d]));
    of_mask = seen_at_last(graph, std::move(of_mask));
    const Node& any = graph[of_mask.id];
    if (any.kind != NodeKind::reduce || any.reduction != Reduction::any || any.operands[1] != no_node ||
        any.attributes.size() != 1)
        return false;
    const auto line = any.attributes[0];
    const std::int64_t extent = graph[any.operands[0]].shape[at(line)];
    if (extent != reduced_shape(graph, product)[reduced]) return false;
    of_mask.id = any.operands[0];
    of_mask.indices.insert(of_mask.indices.begin() + line, variable(reduced, extent));
    return seen_at_last(graph, std::move(of_mask)) == of_terms;
}

std::optional<ProductMatrices> product_matrices(const Graph& graph, const Node& product) {
    if (!is_product(product) || product.attributes.size() != 1 || product.shape.size() != 2) return {};
    const Shape shape = reduced_shape(graph, product);
    const auto reduced = static_cast<std::size_t>(product.attributes[0]);
    const std::size_t row = reduced == 0 ? 1 : 0, column = reduced == 2 ? 1 : 2;
    for (const auto& [left, right] : {std::pair(product.operands[0], product.operands[2]),
                                      std::pair(product.operands[2], product.operands[0])}) {
        const SeenMatrix rows = matrix_of(graph, left, column), columns = matrix_of(graph, right, row);
        if (rows.id == no_node || columns.id == no_node) continue;
        return ProductMatrices{.left = rows.id,
                               .right = columns.id,
                               .is_left_transposed = (reduced < row) != rows.is_transposed,
                               .is_right_transposed = (column < reduced) != columns.is_transposed,
                               .terms = {shape[row], shape[reduced], shape[column]},
                               .left_of_terms = left,
                               .right_of_terms = right};
    }
    return {};
}

std::optional<ListProduct> masked_product(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    if (!is_product(node) || node.operands[1] == no_node) return {};
    const auto matrices = product_matrices(graph, node);
    if (!matrices) return {};
    ListProduct made{.id = id, .matrices = *matrices};
    std::vector<FactorMask> masks;
    const auto add_mask = [&](NodeId matrix, NodeId terms) {
        const NodeId mask = graph[masked_values(graph, matrix)].mask;
        if (mask != no_node) masks.push_back({mask, terms, mask_seen_with(graph, terms)});
    };
    add_mask(made.matrices.left, made.matrices.left_of_terms);
    add_mask(made.matrices.right, made.matrices.right_of_terms);
    std::set<NodeId> read;
    if (!is_both(graph, node.operands[1], masks, read)) return {};
    for (NodeId* const matrix : {&made.matrices.left, &made.matrices.right}) {
        // A factor whose mask no term reads is specified wherever the other is: it is read as dense.
        const NodeId values = masked_values(graph, *matrix);
        if (read.contains(graph[values].mask)) *matrix = values;
        const NodeId mask = graph[*matrix].mask;
        if (mask != no_node && !read.contains(mask)) return {};
    }
    return made;
}

std::optional<ListProduct> list_product(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    if (!is_product(node) || node.mask == no_node) return {};
    if (!is_any_term(graph, node) && !is_any_entry(graph, node)) return {};
    auto made = masked_product(graph, id);
    if (!made || node.mask < made->matrices.left || node.mask < made->matrices.right) return {};
    take_transposed(graph, made->matrices.left, made->matrices.is_left_transposed);
    take_transposed(graph, made->matrices.right, made->matrices.is_right_transposed);
    return made;
}

}  // namespace frisket::planning
