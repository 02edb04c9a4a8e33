// SPDX-License-Identifier: MIT
#include "listed_elements.hpp"

#include "../../at.hpp"
#include "../../rewrite.hpp"
#include "../body_stage.hpp"
#include "../dense_operand.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

ListedElements::ListedElements(const PlanRequest& request, const IterationSpace& space,
                               const ListAnalysis& lists, const NodeActions& actions, PlanBuilder& to)
    : request_(request),
      graph_(request.graph),
      space_(space),
      to_(to),
      one_list_(one_list()),
      are_by_rows_(one_list_ >= 0 && are_lists(Layout::csr)) {
    std::vector<NodeId> ids = actions.read_at_coordinates();
    if (ids.empty()) return;
    share(ids, lists.nodes(), actions);
    ids.insert(ids.end(), shared_.begin(), shared_.end());
    make({ids.begin(), ids.end()}, lists.nodes());
}

/// Values, or masks, of arguments need no loops; one body makes all other elements.
void ListedElements::make(const std::set<NodeId>& ids, const IterationSpaceAnalysis& nodes) {
    coordinates_ = add_coordinates(to_, request_, space_);
    std::map<NodeId, ValueId> lines;
    for (const NodeId id : ids) {
        const Node& node = graph_[id];
        const ValueId made = to_.new_value();
        in_line_[id] = made;
        if (is_stored(node))
            to_.add(rules::union_of, LocateStage{.operand = {request_.operands[at(node.symbol)], node.symbol},
                                                 .coordinates = coordinates_,
                                                 .is_mask = node.kind == NodeKind::mask_of,
                                                 .made = made});
        else
            lines.emplace(id, made);
    }
    add_lines(to_, request_, nodes, coordinates_, lines);
}

/// True for a node that an argument stores: its values in their dtype, or its mask.
bool ListedElements::is_stored(const Node& node) const {
    return node.kind == NodeKind::mask_of ||
           (node.kind == NodeKind::symbol && graph_.symbols[at(node.symbol)].dtype == node.dtype);
}

/// Finds the nodes that the body makes and the rest reads.  Results keep their layout.
void ListedElements::share(const std::vector<NodeId>& ids, const IterationSpaceAnalysis& nodes,
                           const NodeActions& actions) {
    if (std::ranges::all_of(ids, [this](NodeId id) { return is_stored(graph_[id]); })) return;
    if (!are_by_rows_ && !are_lists(Layout::coo)) return;
    const std::vector<bool> is_more = more_to_make_than_to_read(), is_made = made_of_nodes(ids);
    std::vector<bool> is_read(graph_.nodes.size());
    const auto read = [&](NodeId id) {
        if (id != no_node) is_read[at(id)] = true;
    };
    ir::for_each_root(graph_, read);
    for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
        if (!is_read[at(id)]) continue;
        const bool is_kept = actions[id] == NodeAction::keep;
        const bool is_shared = is_kept && is_made[at(id)] && is_more[at(id)] && graph_[id].mask != no_node &&
                               graph_[id].shape == space_.shape && nodes.lists(id);
        if (is_shared) shared_.insert(id);
        if (is_kept && !is_shared)
            ir::for_each_id(graph_[id], read);
        else
            read(graph_[id].mask);
    }
}

/// True for the given nodes and of all nodes that they read.
std::vector<bool> ListedElements::made_of_nodes(const std::vector<NodeId>& ids) const {
    std::vector<bool> is_made(graph_.nodes.size());
    for (const NodeId id : ids) is_made[at(id)] = true;
    for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;)
        if (is_made[at(id)])
            ir::for_each_id(graph_[id], [&](NodeId operand) {
                if (operand != no_node) is_made[at(operand)] = true;
            });
    return is_made;
}

/// True for each node that reads a function, or a tensor without a list of the space.
std::vector<bool> ListedElements::more_to_make_than_to_read() const {
    std::vector<bool> is_more(graph_.nodes.size());
    for (std::size_t id = 0; id < is_more.size(); ++id) {
        const Node& node = graph_.nodes[id];
        const bool is_tensor = node.symbol >= 0 && !node.is_host_scalar;
        bool is_found = is_function(node) || (is_tensor && !space_.has_mask[at(node.symbol)]);
        ir::for_each_id(node, [&](NodeId operand) {
            is_found = is_found || (operand != no_node && is_more[at(operand)]);
        });
        is_more[id] = is_found;
    }
    return is_more;
}

bool ListedElements::are_lists(Layout layout) const {
    for (int i = 0; i < std::ssize(space_.has_mask); ++i)
        if (space_.has_mask[at(i)] && request_.facts[i].layout != layout) return false;
    return true;
}

ValueId ListedElements::indices_of_list(int symbol) const {
    const ValueId value = request_.operands[at(symbol)];
    return request_.made == nullptr ? value : indices_of(*request_.made, value);
}

/// The first list of the space, if all lists are known to have its indices.  A coo that is an argument may
/// have a position twice.
int ListedElements::one_list() const {
    const auto first = static_cast<int>(std::ranges::find(space_.has_mask, true) - space_.has_mask.begin());
    for (int i = first; i < std::ssize(space_.has_mask); ++i)
        if (space_.has_mask[at(i)] &&
            (indices_of_list(i) != indices_of_list(first) || graph_.symbols[at(i)].shape != space_.shape))
            return -1;
    const bool is_known = first < std::ssize(space_.has_mask) &&
                          (request_.facts[first].layout == Layout::csr || request_.is_made(first));
    return is_known ? first : -1;
}

ListOperand ListedElements::operand(NodeId id) const {
    const bool is_masked = graph_[id].mask != no_node;
    return {.kind = is_masked ? ListOperand::Kind::at_coordinates : ListOperand::Kind::true_at,
            .value = in_line_.at(id),
            .coordinates = coordinates_,
            .dtype = graph_[id].dtype};
}

ValueId ListedElements::indices() const {
    return one_list_ < 0 ? no_value : request_.operands[at(one_list_)];
}

ValueId ListedElements::masked(NodeId id) {
    const auto [known, is_new] = masked_.try_emplace(id, no_value);
    if (!is_new) return known->second;
    known->second = to_.new_value();
    to_.add(rules::union_of,
            ViewStage{.node = graph_[id], .operand = operand(id), .like = indices(), .made = known->second});
    return known->second;
}

bool ListedElements::is_by_rows(NodeId id) const {
    return are_by_rows_ && graph_[id].mask != no_node && graph_[id].shape == space_.shape;
}

bool ListedElements::has_mask_of_space(NodeId id) const {
    if (!is_by_rows(id)) return false;
    const Node& mask = graph_[graph_[id].mask];
    return mask.kind == NodeKind::mask_of && space_.has_mask[at(mask.symbol)];
}

}  // namespace frisket::planning
