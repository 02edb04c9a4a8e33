// SPDX-License-Identifier: MIT
#include "list_form.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../at.hpp"
#include "../passes/seen_views.hpp"
#include "../passes/simplify.hpp"
#include "../rewrite.hpp"
#include "../shown_elements.hpp"
#include "constant_factors.hpp"
#include "factors_first.hpp"
#include "in_form.hpp"
#include "known_bool.hpp"
#include "list_analysis.hpp"
#include "list_products.hpp"
#include "product_dims.hpp"
#include "product_form.hpp"
#include "repeated_dims.hpp"
#include "whole_masks.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

/// Writes the graph node by node.
class ListForm : ListWriter {
public:
    /// `has_products`: products take their form, too.
    ListForm(const PlanRequest& request, bool has_products)
        : ListWriter(request),
          has_products_(has_products),
          reads_list_(reading_lists(request)),
          is_of_terms_(read_as_terms(request)),
          is_moved_mask_(moved_masks(request)) {
        const Graph& from = request.graph;
        for (NodeId id = 0; id < static_cast<NodeId>(from.nodes.size()); ++id) {
            const NodeId mask = from[id].mask;
            if (!is_product(from[id]) || !reads_list_[at(id)] || mask == no_node) continue;
            if (is_any_term(from, from[id])) {
                if (!may_be_whole_[at(id)]) product_masks_.push_back(mask);
            } else if (list_product(request, id) != nullptr &&
                       !is_made_of(from, from[id].operands[1], mask)) {
                product_of_mask_.emplace(mask, id);
            }
        }
        to_.rule = [this](NodeId old) { return rule(old); };
    }

    Graph run() {
        to_.copy_all();
        return to_.finish();
    }
    /// True if products read other nodes in their terms than before.
    bool has_new_terms() const noexcept { return has_new_terms_; }

private:
    std::optional<NodeId> rule(NodeId old) {
        if (const auto found = product_of_mask_.find(old); found != product_of_mask_.end()) {
            has_new_terms_ = true;
            return products_.any_term(from_[found->second], to_.copy(from_[found->second].operands[1]));
        }
        const Node& node = from_[old];
        if (has_products_ && is_product(node) && node.operands[1] != no_node) {
            const auto made = products_.product(old);
            has_new_terms_ = has_new_terms_ || made;
            return made;
        }
        if (node.kind == NodeKind::on && !node.is_host_scalar) {
            const NodeId values = to_.copy(node.operands[0]), mask = to_.copy(node.mask);
            const Node& known = to_[values];
            if (known.mask == mask && known.dtype == node.dtype && known.shape == node.shape) return values;
            if (const auto gathered = products_.masked_gather(values, mask)) return gathered;
        }
        const bool is_and = node.kind == NodeKind::op && node.op == op_id<op::LogicalAnd>;
        const bool is_or = node.kind == NodeKind::op && node.op == op_id<op::LogicalOr>;
        if ((is_and || is_or) && !node.is_host_scalar) {
            const NodeId a = to_.copy(node.operands[0]), b = to_.copy(node.operands[1]);
            if (const auto known = known_bool(to_.graph(), node, a, b)) return known;
        }
        if (node.kind == NodeKind::gather)
            if (const auto element = of_equal_elements(node)) return element;
        if (node.kind == NodeKind::cast && node.mask == no_node) {
            if (const auto values = bare(node)) return values;
            if (node.dtype == DType::boolean)
                if (const auto mask = own_mask(to_.copy(node.operands[0]))) return mask;
        }
        if (is_moved_mask_[at(old)]) {
            const NodeId made = repeated_.view(to_.copied(old));
            repeated_.keep(made);
            return made;
        }
        if (node.kind == NodeKind::view && !node.is_host_scalar)
            if (const auto made = moved_view(old)) {
                has_new_terms_ = has_new_terms_ || is_of_terms_[at(old)];
                return made;
            }
        if (node.kind == NodeKind::scan && node.reduction == Reduction::any && node.operands[1] != no_node)
            if (const auto known = any_of_itself(old)) return known;
        const bool is_any =
            node.kind == NodeKind::reduce && node.reduction == Reduction::any && node.operands[1] == no_node;
        if (is_any && std::ranges::find(product_masks_, old) == product_masks_.end()) return any_once(old);
        if (node.kind == NodeKind::reduce && node.reduction == Reduction::sum && reads_list_[at(old)])
            return count_once(old);
        if (is_elementwise(node.kind) && !is_of_terms_[at(old)]) return of_broadcast(old);
        return {};
    }

    /// A sum of integers, times the number of equal terms.
    std::optional<NodeId> count_once(NodeId old) {
        const Node node = to_.copied(old);
        const NodeId x = node.operands[0];
        if (node.operands[1] != no_node || node.dtype != DType::int64 || to_[x].dtype != DType::int64)
            return {};
        std::int64_t equal = 1;
        for (const std::int64_t d : node.attributes)
            if (!repeated_.varies(x, at(d))) equal *= to_[x].shape[at(d)];
        if (equal == 1) return {};
        return to_.apply<op::Mul>({reduced_once(node, x), to_.constant(equal)});
    }

    /// A view of values that are read without their mask, before it; one that does not show dimensions whole
    /// as a view in the dimensions of its operand, which another one shows.
    std::optional<NodeId> moved_view(NodeId old) {
        Node view = to_.copied(old);
        const Node shown = to_[view.operands[0]];
        if (!is_of_terms_[at(old)])
            if (auto first = repeated_.first_shown(view)) return to_.add(*std::move(first));
        // A mask that a stage has made stays.
        const bool is_list =
            view.mask != no_node && is_of_terms_[at(old)] && to_[view.mask].kind == NodeKind::view;
        if (is_list && has_moved_mask(shown)) {
            view.mask = to_.add(of_mask(view, shown.mask));
            return to_.add(std::move(view));
        }
        if (is_list && !may_be_whole_[at(from_[old].operands[0])] &&
            !shows_transposed_matrix(to_.graph(), view))
            if (const auto parts = in_shown_order(view, shown.shape)) return in_two_steps(view, *parts);
        const bool is_at_places = !is_of_terms_[at(old)] && !may_be_whole_[at(from_[old].operands[0])];
        if (is_at_places && view.mask == no_node && shown.kind == NodeKind::cast && shown.mask == no_node) {
            const NodeId values = shown.operands[0], mask = to_[values].mask;
            if (mask == no_node || to_[values].dtype != shown.dtype || to_[mask].shape != shown.shape)
                return {};
            const Shape shape = view.shape;
            std::vector<std::size_t> dims(shape.size());
            std::iota(dims.begin(), dims.end(), std::size_t{0});
            for (std::size_t i = 0; i < shape.size(); ++i)
                if (!ir::varies_along(view, i)) view.shape[i] = 1;
            view.mask = shown_in_dims(of_mask(view, mask));
            view.operands = {values};
            const NodeId bare = to_.add({.kind = NodeKind::cast,
                                         .dtype = shown.dtype,
                                         .operands = {shown_in_dims(view)},
                                         .shape = view.shape});
            return view.shape == shape ? bare : repeated_.repeated(bare, shape, dims);
        }
        if (view.mask != no_node && !is_of_terms_[at(old)] && ir::shows_all(view, shown.shape))
            return products_.masked(products_.bare(view.operands[0]), no_node, view.mask, view);
        if (ir::shows_whole_dims(view)) return {};
        const NodeId made = shown_in_dims(view);
        return to_[made] == view ? std::nullopt : std::optional(made);
    }

    /// A mask that is scanned where it is true: each element is.
    std::optional<NodeId> any_of_itself(NodeId old) {
        const Node node = to_.copied(old);
        const NodeId mask = node.operands[1];
        const auto given = own_mask(node.operands[0]);
        if (!given || node.mask != mask || !shows_same(to_.graph(), *given, mask)) return {};
        return to_.add({.kind = NodeKind::on,
                        .dtype = DType::boolean,
                        .operands = {mask, mask},
                        .mask = mask,
                        .shape = node.shape});
    }

    /// The mask that bools equal if they are true where they are specified; nothing for other nodes.
    std::optional<NodeId> own_mask(NodeId id) {
        Node view = to_[id];
        const bool is_seen = view.kind == NodeKind::view && view.mask != no_node;
        const Node& on = is_seen ? to_[view.operands[0]] : view;
        if (on.kind != NodeKind::on || on.operands[0] != on.mask) return {};
        if (!is_seen) return on.mask;
        return repeated_.view(of_mask(view, on.mask));
    }

    /// True for a masked tensor whose mask is a list that is moved.
    bool has_moved_mask(const Node& masked) const {
        if (masked.mask == no_node || masked.kind == NodeKind::view) return false;
        const Node& mask = to_[masked.mask];
        return mask.kind == NodeKind::view && list_kernels::shows_once(element_view(mask));
    }

    /// Adds a view; one that does not show dimensions whole in two steps.
    NodeId shown_in_dims(Node view) {
        const auto parts = in_own_dims(view, to_[view.operands[0]].shape);
        return parts ? in_two_steps(view, *parts) : to_.add(std::move(view));
    }

    /// The mask of a tensor of `shape` that a mask shows as a view shows the tensor: a stage has made it.
    std::optional<NodeId> shown_mask(NodeId mask, const Shape& shape, const Node& view) const {
        const Node& node = to_[mask];
        const bool is_same = node.kind == NodeKind::view && to_[node.operands[0]].shape == shape &&
                             node.attributes == view.attributes && node.offsets == view.offsets;
        return is_same ? std::optional(node.operands[0]) : std::nullopt;
    }

    /// Adds a view of the operand of another view.
    NodeId in_two_steps(const Node& view, const std::pair<Node, Node>& parts) {
        auto [inner, outer] = parts;
        if (view.mask != no_node) {
            const NodeId mask = to_[view.operands[0]].mask;
            if (mask == no_node) return to_.add(view);
            inner.mask = shown_mask(view.mask, inner.shape, outer).value_or(no_node);
            if (inner.mask == no_node) inner.mask = to_.add(of_mask(inner, mask));
        }
        outer.operands = {to_.add(std::move(inner))};
        return to_.add(std::move(outer));
    }

    /// Values that are given where they are unspecified, under a mask of a tensor that is repeated.
    std::optional<NodeId> of_repeated_mask(const Node& filled) {
        const NodeId old = from_[filled.operands[0]].mask;
        if (old == no_node || reads_list_[at(old)]) return {};
        const NodeId x = to_.copy(filled.operands[0]), mask = to_[x].mask;
        if (mask == no_node || filled.mask != no_node || !repeated_.is_repeated(mask)) return {};
        const bool is_on = to_[x].kind == NodeKind::on && to_[to_[x].operands[0]].mask == no_node;
        const NodeId bare = is_on ? to_[x].operands[0] : products_.bare(x);
        return to_.add(
            {.kind = NodeKind::op,
             .op = op_id<op::Where>,
             .dtype = filled.dtype,
             .operands = {repeated_.once(mask), repeated_.once(bare), to_.copy(filled.operands[1])},
             .shape = filled.shape});
    }

    /// An elementwise node of operands that it repeats itself, instead of views and coordinates that do.
    std::optional<NodeId> of_broadcast(NodeId old) {
        const Node& node = from_[old];
        if (node.kind == NodeKind::to_dense && !node.is_host_scalar) return of_repeated_mask(node);
        if (node.operands.empty()) return {};
        // The mask of `on` is known by its number.
        const auto operands =
            std::span(node.operands).first(node.kind == NodeKind::on ? 1 : node.operands.size());
        const auto is_once = [&](NodeId operand) {
            return operand == no_node || !repeated_.is_repeated(to_.copy(operand));
        };
        if (std::ranges::all_of(operands, is_once)) return {};
        Node made = to_.copied(old);
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (made.operands[i] != no_node) made.operands[i] = repeated_.once(made.operands[i]);
        return to_.add(std::move(made));
    }

    /// Tells where something is: parts of a conjunction that are the same for all of an element are looked at
    /// once for it.
    NodeId any_once(NodeId old) {
        const Node node = to_.copied(old);
        std::vector<NodeId> of_elements;
        NodeId of_terms = no_node;
        for (const NodeId part : parts_of(to_, repeated_, node.operands[0], false)) {
            const auto varies = [&](std::int64_t dim) { return repeated_.varies(part, at(dim)); };
            if (std::ranges::none_of(node.attributes, varies))
                of_elements.push_back(part);
            else
                of_terms = repeated_.both(of_terms, part);
        }
        if (of_elements.empty() || of_terms == no_node) return reduced_once(node, node.operands[0]);
        const std::vector<std::size_t> kept = ir::kept_dims(node, to_[node.operands[0]].shape.size());
        NodeId found = reduced_once(node, of_terms);
        for (const NodeId one : of_elements)
            found = repeated_.both(found, repeated_.with_dims(repeated_.once(one), kept));
        return found;
    }

    /// Reduces the terms of an element, equal terms once, and once for all elements that are the same.
    NodeId reduced_once(Node made, NodeId terms_of_it) {
        const Shape shape = made.shape;
        const NodeId once = repeated_.once(terms_of_it);
        const Shape terms = to_[once].shape;
        std::vector<std::size_t> left, kept, dims;  // dimensions of terms, of the result, and there
        std::vector<std::int64_t> reduced;
        bool is_of_one = true;  // there is one term for an element
        for (std::size_t d = 0, j = 0; d < terms.size(); ++d) {
            const bool is_reduced = ir::reduces(made, d);
            is_of_one = is_of_one && (!is_reduced || terms[d] == 1);
            if (is_reduced) reduced.push_back(static_cast<std::int64_t>(left.size()));
            if (!is_reduced && terms[d] != 1) {
                kept.push_back(d);
                dims.push_back(j);
            }
            if (is_reduced || terms[d] != 1) left.push_back(d);
            if (!is_reduced) ++j;
        }
        if (is_of_one) return repeated_.repeated(repeated_.with_dims(once, kept), shape, dims);
        made.operands[0] = repeated_.with_dims(once, left);
        made.attributes = std::move(reduced);
        made.shape.clear();
        for (const std::size_t j : dims) made.shape.push_back(shape[j]);
        return repeated_.repeated(to_.add(std::move(made)), shape, dims);
    }

    /// Values that are read without their mask, before it, if they can be made whole or it is one of lines.
    std::optional<NodeId> bare(const Node& cast) {
        const Node& masked = from_[cast.operands[0]];
        if (masked.kind != NodeKind::on || masked.is_host_scalar || masked.dtype != cast.dtype) return {};
        const bool is_tensor = may_be_whole_[at(masked.operands[0])] && sizes_.holds(masked.shape);
        // No list is looked up for a mask of lines of a tensor.
        if (!is_tensor && (reads_list_[at(masked.mask)] || !repeated_.is_repeated(to_.copy(masked.mask))))
            return {};
        const Node& values = from_[masked.operands[0]];
        if (values.mask != no_node || values.is_host_scalar || values.dtype != cast.dtype ||
            values.shape != cast.shape)
            return {};
        return to_.copy(masked.operands[0]);
    }

    /// Elements of values that are read without their mask, and are all the same.
    std::optional<NodeId> of_equal_elements(const Node& gather) {
        const Node& bare = from_[gather.operands[0]];
        if (gather.mask != no_node || !is_bare(from_, bare)) return {};
        const Node& masked = from_[bare.operands[0]];
        if (masked.kind != NodeKind::on || from_[masked.operands[0]].mask != no_node) return {};
        const NodeId values = to_.copy(masked.operands[0]);
        if (!repeated_.is_same(values)) return {};
        Node one{.kind = NodeKind::cast, .dtype = gather.dtype, .operands = {repeated_.once(values)}};
        one.shape = to_[one.operands[0]].shape;
        return repeated_.whole(to_.add(std::move(one)), gather.shape);
    }

    const bool has_products_;
    bool has_new_terms_ = false;
    std::vector<NodeId> product_masks_;         // masks that say where a product has a term
    std::map<NodeId, NodeId> product_of_mask_;  // masks that say so of lines, and their products
    const std::vector<bool>& reads_list_;
    const std::vector<bool>& is_of_terms_;    // read in the dimensions of terms
    const std::vector<bool>& is_moved_mask_;  // which stages make as lists
};

/// The masks by which products of lists are found, and those that are moved.
std::vector<bool> kept_masks(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const std::vector<bool>& may_be = may_be_whole(request);
    std::vector<bool> are = moved_masks(request);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const ListProduct* const product = list_product(request, id);
        if (product != nullptr &&
            (!may_be[at(product->matrices.left.id)] || !may_be[at(product->matrices.right.id)]))
            are[at(graph[id].mask)] = true;
    }
    return are;
}

Graph form_of(const PlanRequest& request) {
    const bool has_products = std::ranges::any_of(request.graph.nodes, is_product);
    std::vector<bool> is_kept = kept_masks(request);
    std::optional<Graph> simple;
    if (!ir::is_simplified(request.graph, is_kept))
        simple = ir::simplified(request.graph, ir::SeenViews::kept, std::move(is_kept));
    const PlanRequest reading = simple ? request.with(*simple) : request;
    ListForm first(reading, has_products);
    Graph made = first.run();
    if (!has_products) return made;
    // Nodes that products no longer read in their terms take their form the second time.
    if (first.has_new_terms()) made = ListForm(request.with(made), false).run();
    return with_factors_first(std::move(made));
}

}  // namespace

bool has_empty_tensors(const Graph& graph) {
    return std::ranges::any_of(
        graph.nodes, [](const Node& node) { return std::ranges::find(node.shape, 0) != node.shape.end(); });
}

std::optional<Graph> list_form(const PlanRequest& request) {
    if (is_in_form(request)) return {};
    const auto is_squeeze = [&](const Node& node) { return ir::is_squeeze_of_elements(request.graph, node); };
    std::optional<Graph> squeezed;
    if (std::ranges::any_of(request.graph.nodes, is_squeeze))
        squeezed = ir::simplified(request.graph, ir::SeenViews::squeezes_moved);
    const PlanRequest reading = squeezed ? request.with(*squeezed) : request;
    const std::optional<Graph> whole = with_whole_masks(reading);
    const PlanRequest masked = whole ? reading.with(*whole) : reading;
    const std::optional<Graph> constant = with_constant_factors(masked);
    return form_of(constant ? masked.with(*constant) : masked);
}

}  // namespace frisket::planning
