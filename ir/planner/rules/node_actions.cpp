// SPDX-License-Identifier: MIT
#include "node_actions.hpp"

#include "../../at.hpp"
#include "../../rewrite.hpp"
#include "../list_spaces.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

NodeActions::NodeActions(const PlanRequest& request, const ListAnalysis& lists)
    : graph_(request.graph),
      lists_(lists),
      is_of_terms_(read_as_terms(request)),
      sizes_(request),
      may_be_whole_(may_be_whole(request)),
      makes_views_(request.makes_views),
      repeats_masks_(request.repeats_masks),
      are_few_(request.makes_few_whole ? &made_of_few_elements(request) : nullptr) {
    for (std::size_t i = 0; i < graph_.symbols.size(); ++i)
        if (request.facts.formats()[i].is_list() && graph_.symbols[i].shape != lists.nodes().space().shape)
            other_shapes_.push_back(graph_.symbols[i].shape);
    find_shapes_of_others();
    find_joined();
    find_late_masks();
    const auto count = static_cast<NodeId>(graph_.nodes.size());
    for (NodeId id = 0; id < count; ++id)
        if (const ListProduct* const product = list_product(request, id))
            products_.insert_or_assign(graph_[id].mask, *product);
        else if (const auto pattern = pattern_product(graph_, id))
            products_.emplace(id, *pattern);
    const auto may_have_places = [this](const auto& one) { return may_be_at_places(one.second); };
    if (std::ranges::any_of(products_, may_have_places)) demands_.emplace(graph_, listed_matrices(request));
    for (NodeId id = 0; id < count; ++id) actions_.push_back(action_of(id));
    list_parts(request.makes_few_whole);
    keep_unread();
}

bool NodeActions::is_of_lists(const ListProduct& product) const {
    const auto is_list = [&](const SeenMatrix& matrix) {
        return product.is_pattern || graph_[matrix.id].mask != no_node;
    };
    return is_list(product.matrices.left) && is_list(product.matrices.right);
}

/// Returns whether a product is made where a list reads it: both factors are lists, or it is too large to be
/// made whole.
bool NodeActions::may_be_at_places(const ListProduct& product) const {
    return is_of_lists(product) || !sizes_.holds(graph_[product.id].shape);
}

int NodeActions::places_of_product(NodeId mask) const {
    const ListProduct& product = products_.at(mask);
    if (!may_be_at_places(product)) return -1;
    const int list = demands_->list_of(mask);
    const bool is_read_there = list >= 0 && demands_->list_of(product.id) == list;
    return is_read_there && graph_.symbols[at(list)].shape == graph_[product.id].shape ? list : -1;
}

bool NodeActions::are_all_kept() const {
    return std::ranges::all_of(actions_, [this](NodeAction action) {
        return action == NodeAction::keep || (action == NodeAction::view_dense && !makes_views_);
    });
}

std::vector<NodeId> NodeActions::read_at_coordinates() const {
    std::vector<NodeId> wanted;
    for (NodeId id = 0; id < static_cast<NodeId>(actions_.size()); ++id)
        for (const NodeId operand : read_by(id))
            if (operand != no_node && is_read_at_coordinates(id, operand)) wanted.push_back(operand);
    std::ranges::sort(wanted);
    const auto twice = std::ranges::unique(wanted);
    wanted.erase(twice.begin(), twice.end());
    return wanted;
}

/// Makes lists of factors of products, and of parts that are joined, that this space has, where no space has
/// all of them.
void NodeActions::list_parts(bool of_products) {
    const auto list = [this](NodeId id) {
        if (id != no_node && actions_[at(id)] == NodeAction::keep && !lists_.is_list(id) &&
            lists_.nodes().lists(id))
            actions_[at(id)] = NodeAction::list;
    };
    for (const auto& [mask, product] : products_) {
        if (!of_products || actions_[at(mask)] != NodeAction::keep || !is_of_lists(product)) continue;
        for (const SeenMatrix& matrix : {product.matrices.left, product.matrices.right}) {
            list(matrix.id);
            if (!product.is_pattern) list(graph_[matrix.id].mask);
        }
    }
    for (std::size_t id = 0; id < graph_.nodes.size(); ++id)
        if (graph_.nodes[id].kind == NodeKind::cat && actions_[id] == NodeAction::keep && !may_be_whole_[id])
            std::ranges::for_each(graph_.nodes[id].operands, list);
}

/// Finds what is joined with lists: it must be a list as well, even if it is small.
void NodeActions::find_joined() {
    is_joined_.resize(graph_.nodes.size());
    for (std::size_t id = 0; id < graph_.nodes.size(); ++id)
        if (graph_.nodes[id].kind == NodeKind::cat && !may_be_whole_[id])
            for (const NodeId part : graph_.nodes[id].operands) is_joined_[at(part)] = true;
}

/// Finds the masks that are moved with values which no list of the space has yet.
void NodeActions::find_late_masks() {
    is_late_mask_.resize(graph_.nodes.size());
    std::vector<bool> has_other_reader(graph_.nodes.size());
    for (const Node& node : graph_.nodes) {
        const NodeId mask = node.mask;
        const bool is_view = node.kind == NodeKind::view && mask != no_node;
        const bool is_late = is_view && graph_[mask].kind == NodeKind::view &&
                             graph_[mask].operands[0] == graph_[node.operands[0]].mask &&
                             is_elementwise(graph_[node.operands[0]].kind) &&
                             !lists_.is_list(node.operands[0]) && !lists_.nodes().lists(node.operands[0]);
        if (is_late) is_late_mask_[at(mask)] = true;
        ir::for_each_id(node, [&](NodeId operand) {
            if (operand != no_node && !(is_late && operand == mask)) has_other_reader[at(operand)] = true;
        });
    }
    for (std::size_t id = 0; id < is_late_mask_.size(); ++id)
        is_late_mask_[id] = is_late_mask_[id] && !has_other_reader[id];
}

/// Keeps nodes as they are that only products of lists read, which read the operands of these nodes.
void NodeActions::keep_unread() {
    std::vector<bool> is_read(graph_.nodes.size());
    const auto read = [&](NodeId id) {
        if (id != no_node) is_read[at(id)] = true;
    };
    ir::for_each_root(graph_, read);
    for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
        const NodeAction action = actions_[at(id)];
        if (!is_read[at(id)]) {
            actions_[at(id)] = NodeAction::keep;
        } else if (action == NodeAction::product_mask) {
            std::ranges::for_each(read_by(id), read);
        } else if (action == NodeAction::product) {
            read(graph_[id].mask);
        } else {
            ir::for_each_id(graph_[id], read);
        }
    }
}

bool NodeActions::will_be_listed(NodeId id) const {
    const NodeAction action = actions_[at(id)];
    return action == NodeAction::reduce || action == NodeAction::move || action == NodeAction::pass;
}

/// True for a node that can be computed as a list.
bool NodeActions::can_list(NodeId id) const {
    return lists_.is_list(id) || will_be_listed(id) || lists_.nodes().lists(id);
}

bool NodeActions::is_whole_factor(const ListProduct& product, NodeId id) const {
    const bool is_factor = id == product.matrices.left.id || id == product.matrices.right.id;
    return is_factor && !can_be_list(id, product.is_pattern);
}

/// True if the factors of a product can be made whole, or if they and their masks can be computed as lists.
bool NodeActions::can_read(const ListProduct& product, NodeId mask) const {
    const NodeId left = product.matrices.left.id, right = product.matrices.right.id;
    const auto can_be_factor = [&](NodeId matrix, NodeId other) {
        const bool is_dense = !product.is_pattern && graph_[matrix].mask == no_node;
        if (can_be_list(matrix, product.is_pattern)) return true;
        if (may_be_whole_[at(matrix)])
            return is_dense || !may_be_whole_[at(other)] || places_of_product(mask) >= 0;
        const bool is_small = are_few_ != nullptr && (*are_few_)[at(matrix)];
        return is_small && (is_dense || can_be_list(other, product.is_pattern));
    };
    return can_be_factor(left, right) && can_be_factor(right, left);
}
bool NodeActions::can_be_list(NodeId matrix, bool is_pattern) const {
    const NodeId mask = graph_[matrix].mask;
    if (is_pattern) return can_list(matrix);
    return mask != no_node && can_list(matrix) && (lists_.is_list_with_its_mask(matrix) || can_list(mask));
}

/// Finds the shapes in which a reader of lists reads a node that broadcasts to it, or is no list, and has
/// several elements: it is at positions of a list only in this shape.
void NodeActions::find_shapes_of_others() {
    for (std::size_t id = 0; id < graph_.nodes.size(); ++id) {
        const Node& node = graph_.nodes[id];
        const auto is_other = [&](NodeId operand) {
            if (operand == no_node || element_count(graph_[operand].shape) == 1) return false;
            return graph_[operand].shape != node.shape || may_be_whole_[at(operand)] ||
                   lists_.reads_no_list(operand);
        };
        if (is_elementwise(node.kind) && !may_be_whole_[id] && std::ranges::any_of(node.operands, is_other) &&
            std::ranges::find(shapes_of_others_, node.shape) == shapes_of_others_.end())
            shapes_of_others_.push_back(node.shape);
    }
}

/// True for a list that is read in another shape: in the shape of other lists, or in one with less elements.
bool NodeActions::will_be_read_as(const Shape& shape, NodeId id) const {
    const Shape& space = lists_.nodes().space().shape;
    const bool is_of_others = std::ranges::find(other_shapes_, shape) != other_shapes_.end();
    const bool meets_it = std::ranges::find(shapes_of_others_, shape) != shapes_of_others_.end() &&
                          !is_same_space(shape, graph_[before_moves(graph_, id)].shape);
    const auto is_repeated_in = [&](const Shape& other) {
        return other.size() == shape.size() && broadcasts_to(shape, other);
    };
    if (!lists_.is_list(id)) {
        const bool may_repeat = std::ranges::any_of(shapes_of_others_, is_repeated_in);
        return (is_of_others || meets_it || may_repeat) && shape != graph_[id].shape &&
               lists_.nodes().lists(id);
    }
    const bool is_of_space = shape == space && graph_[id].shape != space;
    return is_of_space || meets_it || capped_count(shape) < capped_count(space);
}

NodeAction NodeActions::action_of(NodeId id) const {
    const Node& node = graph_[id];
    // A product is found by its mask when it is ready.
    if (const auto product = products_.find(id); product != products_.end())
        return can_read(product->second, id) ? NodeAction::product_mask : NodeAction::keep;
    if (const auto product = products_.find(node.mask); product != products_.end())
        if (product->second.id == id && actions_[at(node.mask)] == NodeAction::product_mask)
            return NodeAction::product;
    if (lists_.nodes().reduces(id)) {
        const auto first_index = is_scatter(node.kind) ? 2 : std::ssize(node.operands);
        const bool has_indices = std::all_of(node.operands.begin() + first_index, node.operands.end(),
                                             [&](NodeId index) { return lists_.is_dense(index); });
        return has_indices ? NodeAction::reduce : NodeAction::keep;
    }
    if (node.kind == NodeKind::cat && node.attributes.size() == 1) {
        const bool is_listed = std::ranges::all_of(node.operands, [&](NodeId x) { return can_list(x); });
        return is_listed ? NodeAction::move : NodeAction::keep;
    }
    if (node.kind == NodeKind::gather)
        return can_list(node.operands[0]) && is_list_gather(lists_, node) ? NodeAction::move
                                                                          : NodeAction::keep;
    if (!is_move(node.kind) || (is_late_mask_[at(id)] && !makes_views_)) return NodeAction::keep;
    const NodeId x = node.operands[0];
    if (keeps_order(graph_, node)) {
        // Products read matrices before they are seen as terms.
        if (is_of_terms_[at(id)]) return NodeAction::keep;
        return will_be_listed(x) || will_be_read_as(node.shape, x) ? NodeAction::pass : NodeAction::keep;
    }
    const bool is_made_first = makes_views_ && element_count(graph_[x].shape) > 1;
    if ((graph_[x].kind == NodeKind::symbol || is_made_first) && graph_[x].mask == no_node &&
        !graph_[x].is_host_scalar && lists_.reads_no_list(x))
        return is_of_terms_[at(id)] ? NodeAction::keep : NodeAction::view_dense;
    if (is_of_terms_[at(id)] && shows_transposed_matrix(graph_, node)) return NodeAction::keep;
    return is_list_view(id) && can_list(x) ? NodeAction::move : NodeAction::keep;
}

/// True for a view that shows a list at places of its own; again and again, if there are too many elements
/// for a tensor, or they are joined with a list.
bool NodeActions::is_list_view(NodeId id) const {
    const Node& view = graph_[id];
    return list_kernels::shows_once(element_view(view)) ||
           ((repeats_masks_ || !is_of_terms_[at(id)]) && sizes_.repeats_list(view)) ||
           (is_joined_[at(id)] && sizes_.may_repeat_list(view));
}

std::vector<NodeId> NodeActions::read_by(NodeId id) const {
    switch (actions_[at(id)]) {
        case NodeAction::reduce: {
            // A list kernel reads the indices of a scatter as dense tensors.
            std::vector<NodeId> operands = graph_[id].operands;
            if (is_scatter(graph_[id].kind)) operands.resize(2);
            return operands;
        }
        case NodeAction::move:
        case NodeAction::pass: return graph_[id].operands;
        case NodeAction::list: return {id};
        case NodeAction::product_mask: {
            const ListProduct& product = products_.at(id);
            std::vector<NodeId> read;
            for (const NodeId matrix : {product.matrices.left.id, product.matrices.right.id}) {
                read.push_back(matrix);
                if (!is_whole_factor(product, matrix)) read.push_back(graph_[matrix].mask);
            }
            return read;
        }
        default: return {};
    }
}
bool NodeActions::is_read_at_coordinates(NodeId id, NodeId operand) const {
    const NodeAction action = actions_[at(id)];
    if (action == NodeAction::reduce || action == NodeAction::list) return true;
    if (action == NodeAction::product_mask && is_whole_factor(products_.at(id), operand)) return false;
    return !lists_.is_list(operand) && !will_be_listed(operand) && !lists_.reads_no_list(operand);
}

}  // namespace frisket::planning
