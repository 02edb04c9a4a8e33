// SPDX-License-Identifier: MIT
// Chooses which nodes list kernels evaluate before the rest of the graph.
#pragma once
#include "../demands.hpp"
#include "../list_analysis.hpp"
#include "../list_products.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace frisket::planning {

/// The evaluation of a node before the residual graph.
enum class NodeAction : std::uint8_t { keep, reduce, move, pass, view_dense, list, product_mask, product };

/// Chooses the action of each node.
class NodeActions {
public:
    NodeActions(const PlanRequest& request, const ListAnalysis& lists);

    NodeAction operator[](NodeId id) const { return actions_[static_cast<std::size_t>(id)]; }
    /// True if no node is made before the residual graph.
    bool are_all_kept() const;
    /// The product whose mask a node is.
    const ListProduct& product_of_mask(NodeId mask) const { return products_.at(mask); }
    /// The list outside of which a product is not read, and neither is its mask; -1 without such a list.
    int places_of_product(NodeId mask) const;
    /// True for a factor of a product that is no list: a body makes it.
    bool is_whole_factor(const ListProduct& product, NodeId id) const;

    /// The nodes whose elements at the coordinates a list kernel reads, in ascending order.
    std::vector<NodeId> read_at_coordinates() const;

private:
    bool is_of_lists(const ListProduct& product) const;
    bool may_be_at_places(const ListProduct& product) const;
    void find_shapes_of_others();
    void list_parts(bool of_products);
    void find_joined();
    void find_late_masks();
    void keep_unread();
    bool will_be_listed(NodeId id) const;
    bool will_be_read_as(const Shape& shape, NodeId id) const;
    bool can_list(NodeId id) const;
    bool can_read(const ListProduct& product, NodeId mask) const;
    bool can_be_list(NodeId matrix, bool is_pattern) const;
    bool is_list_view(NodeId id) const;
    NodeAction action_of(NodeId id) const;
    std::vector<NodeId> read_by(NodeId id) const;
    bool is_read_at_coordinates(NodeId id, NodeId operand) const;

    const Graph& graph_;
    const ListAnalysis& lists_;
    const std::vector<bool>& is_of_terms_;  // read by products in the dimensions of their terms
    const TensorSizes sizes_;
    const std::vector<bool>& may_be_whole_;
    const bool makes_views_, repeats_masks_;
    const std::vector<bool>* const are_few_;  // made_of_few_elements; null: none of these is made whole
    std::vector<Shape> other_shapes_;         // shapes of lists other than the space's
    std::vector<Shape> shapes_of_others_;     // in which lists are combined with other nodes
    std::vector<bool> is_joined_;             // parts of what is no tensor
    std::vector<bool> is_late_mask_;          // moved with values that are made later
    std::vector<NodeAction> actions_;         // action of each node
    std::map<NodeId, ListProduct> products_;  // by their masks
    std::optional<Demands> demands_;          // if there are products that may_be_at_places
};

}  // namespace frisket::planning
