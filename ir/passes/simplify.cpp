// SPDX-License-Identifier: MIT
#include "simplify.hpp"

#include "../at.hpp"
#include "../contained_masks.hpp"
#include "../rewrite.hpp"
#include "../shown_elements.hpp"
#include "repeats.hpp"
#include "seen_views.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace frisket::ir {

namespace {

/// True for a node that is its operand: the same tensor under the same mask.
bool is_same(const Node& node, const Node& operand) {
    return operand.shape == node.shape && operand.mask == node.mask &&
           operand.is_host_scalar == node.is_host_scalar && operand.dtype == node.dtype;
}

/// True for a node that tells where any of some bools is true.
bool is_any(const Node& node) {
    return node.kind == NodeKind::reduce && node.reduction == Reduction::any && is_plain(node);
}

/// True for an instruction that may be one of its operands, both of which are bools.
bool may_be_absorbed(const Node& node, const Graph& graph) {
    const auto is_bool = [&](NodeId id) {
        return graph[id].dtype == DType::boolean && !graph[id].is_host_scalar && graph[id].mask == no_node;
    };
    return node.kind == NodeKind::op && node.mask == no_node && !node.is_host_scalar &&
           (node.op == op_id<op::LogicalAnd> || node.op == op_id<op::LogicalOr>) &&
           std::ranges::all_of(node.operands, is_bool);
}

/// True for a node that simplified() leaves where views stay.
bool is_simple(const Node& node, const Graph& graph, bool is_kept_operand) {
    const bool is_reduction = node.kind == NodeKind::reduce && is_plain(node);
    if (repeats(node, graph) && !(is_reduction && is_kept_operand)) return false;
    if (may_be_absorbed(node, graph) && absorbing(graph, node.op, node.operands[0], node.operands[1]))
        return false;
    const bool may_change = is_move(node.kind) || node.kind == NodeKind::cast || node.kind == NodeKind::on;
    if (!may_change) return true;
    const Node& operand = graph[node.operands[0]];
    if (is_same(node, operand) && (node.kind != NodeKind::view || shows_all(node, operand.shape)))
        return false;
    if (node.kind == NodeKind::view) return operand.kind != NodeKind::view || is_kept_operand;
    if (node.kind != NodeKind::reshape) return true;
    return operand.kind != NodeKind::reshape && !has_same_lengths(node.shape, operand.shape);
}

class Simplifier {
public:
    Simplifier(const Graph& graph, SeenViews views, std::vector<bool> is_kept)
        : from_(graph),
          to_(graph),
          moves_(moved_views(graph, views)),
          moves_alone_(views == SeenViews::squeezes_moved),
          repeats_(views == SeenViews::moved_of_dense ? Repeats::of_views : Repeats::of_shapes),
          are_all_composed_(views != SeenViews::kept),
          is_kept_(std::move(is_kept)) {
        to_.rule = [this](NodeId old) { return rule(old); };
    }

    Graph run() {
        to_.copy_all();
        return to_.finish();
    }

private:
    static std::vector<bool> moved_views(const Graph& graph, SeenViews views) {
        if (views == SeenViews::kept) return std::vector<bool>(graph.nodes.size());
        std::vector<bool> are = views_of_results(graph);
        for (std::size_t id = 0; id < are.size() && views == SeenViews::squeezes_moved; ++id)
            are[id] = are[id] && is_squeeze_of_elements(graph, graph.nodes[id]);
        return are;
    }

    std::optional<NodeId> rule(NodeId old) {
        if (moves_alone_ && !moves_[at(old)]) return {};
        if (!is_kept_.empty() && is_kept_[at(old)]) {
            const NodeId kept = to_.add(to_.copied(old));
            kept_.insert(kept);
            return kept;
        }
        const NodeKind kind = from_[old].kind;
        const bool may_change = is_move(kind) || kind == NodeKind::reduce || kind == NodeKind::cast ||
                                kind == NodeKind::on || kind == NodeKind::op;
        return may_change ? std::optional(simple(to_.copied(old), moves_[at(old)])) : std::nullopt;
    }

    NodeId simple(Node node, bool moves) {
        switch (node.kind) {
            case NodeKind::view: return view(std::move(node), moves);
            case NodeKind::reshape: return reshape(std::move(node), moves);
            case NodeKind::reduce: return reduction(std::move(node));
            case NodeKind::cast:
                return node.dtype == to_[node.operands[0]].dtype ? unless_same(std::move(node))
                                                                 : once(std::move(node));
            case NodeKind::op:
                if (const auto one = absorbed(node)) return *one;
                return once(std::move(node));
            case NodeKind::on: return unless_same(std::move(node));
            default: return to_.add(std::move(node));
        }
    }

    /// The operand, if the node is the same tensor under the same mask.
    NodeId unless_same(Node node) {
        return is_same(node, to_[node.operands[0]]) ? node.operands[0] : to_.add(std::move(node));
    }

    /// The one of two bools that equals their conjunction or disjunction.
    std::optional<NodeId> absorbed(const Node& node) {
        if (!may_be_absorbed(node, to_.graph())) return {};
        const auto one = absorbing(to_.graph(), node.op, node.operands[0], node.operands[1]);
        if (!one || to_[*one].shape == node.shape) return one;
        return view(broadcast_view(to_.graph(), *one, node.shape));
    }

    /// An instruction along whose dimension no operand varies is made once there, and repeated.
    NodeId once(Node node) {
        Shape own = shape_of_operands(node, to_.graph(), repeats_);
        if (own == node.shape) return to_.add(std::move(node));
        for (NodeId& operand : node.operands) operand = shown_once(operand, own);
        const Shape shape = std::exchange(node.shape, std::move(own));
        return to_.add(broadcast_view(to_.graph(), to_.add(std::move(node)), shape));
    }

    /// An operand of a node that has this shape: a view with one of the elements that it repeats.
    NodeId shown_once(NodeId operand, const Shape& shape) {
        if (operand == no_node || to_[operand].kind != NodeKind::view) return operand;
        Node view = to_[operand];
        const std::size_t added = shape.size() - view.shape.size();
        for (std::size_t d = 0; d < view.shape.size(); ++d)
            if (shape[d + added] == 1) view.shape[d] = 1;
        return view.shape == to_[operand].shape ? operand : this->view(std::move(view));
    }

    /// `moves`: through the view's operand, to the operands of that node.
    NodeId view(Node node, bool moves = false) {
        if (const Node& inner = to_[node.operands[0]];
            inner.kind == NodeKind::view && !kept_.contains(node.operands[0])) {
            Node one = composed(node, inner, to_[inner.operands[0]].shape);
            if (can_compose(inner) || shows_all(one, to_[one.operands[0]].shape)) node = std::move(one);
        }
        if (shows_all(node, to_[node.operands[0]].shape)) return unless_same(std::move(node));
        const Node shown = to_[node.operands[0]];
        if (!moves || shown.is_host_scalar || !shows_each_once(node, shown.shape)) return to_.add(node);
        if ((is_product(shown) || (is_any(shown) && !moves_alone_)) && !makes_single_rows(node, shown))
            return product(node, shown);
        const bool is_made_at_place = is_elementwise(shown.kind) && shown.symbol < 0;
        return is_made_at_place ? elementwise(node, shown) : to_.add(std::move(node));
    }

    /// Returns whether a view adds a dimension of one element to a product whose factors may be lists, as it
    /// has many terms, or to the mask of its terms.  A batch of such lists would have one row.
    bool makes_single_rows(const Node& view, const Node& product) const {
        if (is_product(product) && product.operands[1] == no_node) return false;
        constexpr double many = 4294967296;
        double terms = 1;
        for (const std::int64_t extent : reduced_shape(to_.graph(), product))
            terms *= static_cast<double>(extent);
        return view.shape.size() > product.shape.size() && terms >= many;
    }

    /// True for a view with which other views are composed.
    bool can_compose(const Node& inner) const { return are_all_composed_ || shows_whole_dims(inner); }

    /// Makes an instruction where a view shows it, of operands that the view shows.
    NodeId elementwise(const Node& view, const Node& shown) {
        Node made = shown;
        made.shape = view.shape;
        for (NodeId& operand : made.operands) operand = seen(operand, view, shown.shape);
        made.mask = seen(shown.mask, view, shown.shape);
        return to_.add(std::move(made));
    }

    /// Shows an operand as a view shows the tensor of `shape` to which it broadcasts.
    NodeId seen(NodeId operand, const Node& view, const Shape& shape) {
        if (operand == no_node || to_[operand].is_host_scalar || to_[operand].shape.empty()) return operand;
        const Shape own = to_[operand].shape;
        const std::size_t added = shape.size() - own.size(), rank = view.shape.size();
        Node made{.kind = NodeKind::view, .dtype = to_[operand].dtype, .operands = {operand}};
        made.shape.assign(rank, 1);
        made.attributes.assign(own.size() * rank, 0);
        for (std::size_t d = 0; d < own.size(); ++d)
            for (std::size_t j = 0; j < rank; ++j)
                if (own[d] != 1 && view.shape[j] != 1 && step(view, d + added, j) != 0) {
                    made.shape[j] = view.shape[j];
                    step(made, d, j) = 1;
                }
        made.mask = seen(to_[operand].mask, view, shape);
        return this->view(std::move(made), true);
    }

    /// A product, or a reduction of bools, with its remaining dimensions in another order: the same number of
    /// them follows the reduced dimensions.
    NodeId product(const Node& view, const Node& shown) {
        const std::size_t kept = view.shape.size(), reduced = shown.attributes.size();
        const Shape full = reduced_shape(to_.graph(), shown);
        const auto begin = at(shown.attributes.front());
        const std::size_t after = full.size() - at(shown.attributes.back()) - 1;
        if (at(shown.attributes.back()) - begin + 1 != reduced || after > kept) return to_.add(view);
        const std::size_t first = kept - after;  // reduced dimension, now
        const auto place_of = [&](std::size_t dim) -> std::optional<std::size_t> {
            if (dim >= begin && dim < begin + reduced) return dim - begin + first;
            const std::size_t own = dim < begin ? dim : dim - reduced;
            for (std::size_t j = 0; j < kept; ++j)
                if (view.shape[j] != 1 && step(view, own, j) != 0) return j < first ? j : j + reduced;
            return {};
        };
        Node made = shown;
        made.shape = view.shape;
        for (std::size_t i = 0; i < reduced; ++i) made.attributes[i] = static_cast<std::int64_t>(first + i);
        for (NodeId& operand : made.operands)
            operand = factor(operand, full.size(), kept + reduced, place_of);
        made.mask = seen(shown.mask, view, shown.shape);
        return to_.add(std::move(made));
    }

    /// A factor, or a mask of terms, with its dimensions at other positions among `rank`.
    NodeId factor(NodeId id, std::size_t full, std::size_t rank, const auto& place_of) {
        if (id == no_node || to_[id].shape.empty()) return id;
        const Shape own = to_[id].shape;
        if (is_conjunction(id) || is_bare_view(id)) {
            Node placed = to_[id];
            for (NodeId& part : placed.operands) part = factor(part, full, rank, place_of);
            placed.shape = broadcast(to_[placed.operands.front()].shape, to_[placed.operands.back()].shape);
            return to_.add(std::move(placed));
        }
        Node made{.kind = NodeKind::view, .dtype = to_[id].dtype, .operands = {id}};
        made.shape.assign(rank, 1);
        made.attributes.assign(own.size() * rank, 0);
        for (std::size_t d = 0; d < own.size(); ++d) {
            const std::optional<std::size_t> place = place_of(d + full - own.size());
            if (!place || own[d] == 1) continue;
            made.shape[*place] = own[d];
            step(made, d, *place) = 1;
        }
        if (const NodeId mask = to_[id].mask; mask != no_node) made.mask = factor(mask, full, rank, place_of);
        return view(std::move(made));
    }

    /// True for a mask of terms that is the conjunction of two masks.
    bool is_conjunction(NodeId id) const {
        const Node& node = to_[id];
        return node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd> && node.mask == no_node &&
               !node.is_host_scalar;
    }

    /// Returns whether a node reads a masked view without its mask.
    bool is_bare_view(NodeId id) const {
        const Node& node = to_[id];
        if (node.kind != NodeKind::cast || node.mask != no_node) return false;
        const Node& seen = to_[node.operands[0]];
        return seen.kind == NodeKind::view && seen.mask != no_node;
    }

    NodeId reshape(Node node, bool moves) {
        if (const Node& inner = to_[node.operands[0]]; inner.kind == NodeKind::reshape)
            node.operands = inner.operands;
        if (const Shape shape = to_[node.operands[0]].shape; has_same_lengths(node.shape, shape)) {
            node.kind = NodeKind::view;
            node.attributes.assign(shape.size() * node.shape.size(), 0);
            std::size_t j = 0;
            for (std::size_t d = 0; d < shape.size(); ++d) {
                if (shape[d] == 1) continue;
                while (node.shape[j] == 1) ++j;
                step(node, d, j++) = 1;
            }
            return view(std::move(node), moves);
        }
        if (const auto repeated = reshaped_once(node)) return *repeated;
        return unless_same(std::move(node));
    }

    /// A reshape of the tensor that its operand repeats, computed once, and repeated.
    std::optional<NodeId> reshaped_once(const Node& node) {
        if (repeats_ == Repeats::of_shapes) return {};
        const Node seen = to_[node.operands[0]];
        const DimsOfReshape dims(node, seen);
        if (!dims.repeats || kept_.contains(node.operands[0])) return {};
        Node once = node;
        once.operands[0] = view(shown_along(seen, dims.left));
        once.shape = dims.shape;
        return to_.add(repeated_view(reshape(std::move(once), false), node, dims.shape, dims.is_repeated));
    }

    /// A reduction of a repeated operand is made once, and repeated along the remaining dimensions.
    NodeId reduction(Node node) {
        if (!is_plain(node) || kept_.contains(node.operands[0])) return to_.add(std::move(node));
        const Node seen = to_[node.operands[0]];
        if (!is_repeating(node, seen)) return to_.add(std::move(node));
        const DimsOfReduction dims(node, seen);
        if (dims.reduced.empty())
            return node.dtype == seen.dtype ? view(first_along(seen, node.attributes))
                                            : to_.add(std::move(node));
        Node once = node;
        once.operands[0] = view(shown_along(seen, dims.left));
        once.attributes = dims.reduced;
        once.shape.clear();
        for (const std::size_t j : dims.left)
            if (!reduces(node, j)) once.shape.push_back(seen.shape[j]);
        const Shape shape = once.shape;
        return to_.add(repeated_view(to_.add(std::move(once)), node, shape, dims.is_repeated));
    }

    const Graph& from_;
    Rewriter to_;
    const std::vector<bool> moves_;  // views of the other graph
    const bool moves_alone_;         // other nodes stay as they are
    const Repeats repeats_;          // lists are products of tensors that views repeat
    const bool are_all_composed_;
    const std::vector<bool> is_kept_;
    std::set<NodeId> kept_;  // copies of unchanged nodes
};

}  // namespace

bool is_simplified(const Graph& graph, const std::vector<bool>& is_kept) {
    const auto stays = [&](NodeId id) { return id != no_node && !is_kept.empty() && is_kept[at(id)]; };
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        if (!stays(id) && !is_simple(node, graph, !node.operands.empty() && stays(node.operands[0])))
            return false;
    }
    return true;
}

bool has_repeats(const Graph& graph) {
    return std::ranges::any_of(graph.nodes, [&](const Node& node) { return repeats(node, graph); });
}

Graph simplified(const Graph& graph, SeenViews views, std::vector<bool> is_kept) {
    return Simplifier(graph, views, std::move(is_kept)).run();
}

}  // namespace frisket::ir
