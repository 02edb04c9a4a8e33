// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../at.hpp"
#include "../../../rewrite.hpp"
#include "../../dense_operand.hpp"
#include "../../list_analysis.hpp"
#include "../../list_form.hpp"
#include "../../list_products.hpp"
#include "../../residual_graph.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

/// Values that read no list and are made whole before the nodes that read lists.
class DenseOperands {
public:
    explicit DenseOperands(const PlanRequest& request)
        : request_(request),
          graph_(request.graph),
          may_be_whole_(may_be_whole(request)),
          is_of_terms_(read_as_terms(request)),
          readers_(request.graph.nodes.size()),
          is_whole_(request.graph.nodes.size()),
          is_repeated_(request.graph.nodes.size()),
          is_shown_(request.graph.nodes.size()),
          is_at_places_(request.graph.nodes.size()),
          is_mask_of_product_(request.graph.nodes.size()),
          accumulates_(request.graph.nodes.size()),
          joins_(request.graph.nodes.size()),
          is_elementwise_(request.graph.nodes.size()),
          is_wanted_(request.graph.nodes.size()),
          largest_(request.graph.nodes.size()) {
        for (NodeId id = 0; id < count(); ++id) note(id);
        for (auto id = count(); id-- > 0;) visit(id);
        if (std::ranges::find(is_wanted_, true) != is_wanted_.end()) share();
    }

    bool is_wanted(NodeId id) const { return is_wanted_[at(id)]; }
    /// Returns whether a list is stored as a tensor because a view repeats it.
    bool is_shown_list(NodeId id) const { return is_wanted(id) && is_shown_[at(id)] && is_list(graph_[id]); }
    /// True without such values, or if all of the graph can be made whole.
    bool are_none() const {
        return std::ranges::find(is_wanted_, true) == is_wanted_.end() ||
               std::ranges::find(may_be_whole_, false) == may_be_whole_.end();
    }

private:
    NodeId count() const { return static_cast<NodeId>(graph_.nodes.size()); }
    /// True for a tensor that can be made whole; under its mask, if it has one.
    bool is_dense(NodeId id) const { return may_be_whole_[at(id)] && !graph_[id].is_host_scalar; }

    /// Finds nodes that are computed element by element from arguments, and counts readers.
    void note(NodeId id) {
        const Node& node = graph_[id];
        bool is_plain = frisket::is_elementwise(node.kind);
        accumulates_[at(id)] = info_of(node.kind).accumulates;
        joins_[at(id)] = accumulates_[at(id)] || node.kind == NodeKind::cat;
        if (node.symbol >= 0 && may_be_whole_[at(id)]) largest_[at(id)] = capped_count(node.shape);
        if (is_product(node) && node.mask != no_node && is_any_term(graph_, node))
            is_mask_of_product_[at(node.mask)] = true;
        ir::for_each_id(node, [&](NodeId operand) {
            if (operand == no_node) return;
            ++readers_[at(operand)];
            is_plain = is_plain && is_elementwise_[at(operand)];
            if (accumulates_[at(operand)]) accumulates_[at(id)] = true;
            if (joins_[at(operand)]) joins_[at(id)] = true;
            largest_[at(id)] = std::max(largest_[at(id)], largest_[at(operand)]);
        });
        is_elementwise_[at(id)] = is_plain;
    }

    void visit(NodeId id) {
        const Node& node = graph_[id];
        if (is_dense(id)) decide(id);
        // Elements that a list expression reads at its own positions, and their operands in turn.
        const bool repeats_at_places =
            is_move(node.kind) && is_at_places_[at(id)] && is_large(id) && is_made_once(node.operands[0]);
        const bool reads_at_places = (frisket::is_elementwise(node.kind) || repeats_at_places) &&
                                     !is_of_terms_[at(id)] &&
                                     (!may_be_whole_[at(id)] || is_at_places_[at(id)]);
        if (is_wanted_[at(id)]) return;
        if (is_given(node) && is_at_places_[at(id)]) is_at_places_[at(node.mask)] = true;
        if (node.kind == NodeKind::to_dense && reads_at_places)
            if (const NodeId mask = graph_[node.operands[0]].mask; mask != no_node)
                is_at_places_[at(mask)] = true;
        for (const NodeId operand : node.operands) {
            if (operand == no_node) continue;
            if (reads_at_places) is_at_places_[at(operand)] = true;
            const bool is_as_large = graph_[operand].shape == node.shape;
            if (reads_at_places && !is_as_large) is_repeated_[at(operand)] = true;
            if (reads_at_places && repeats_at_places) is_shown_[at(operand)] = true;
            if (is_as_large && (reads_at_places || (is_whole_[at(id)] && is_move(node.kind))))
                is_whole_[at(operand)] = true;
        }
    }

    /// True for a tensor that is there, under a mask that may have to be made.
    bool is_given(const Node& node) const {
        return node.kind == NodeKind::on && graph_[node.operands[0]].symbol >= 0 &&
               graph_[node.operands[0]].mask == no_node;
    }

    void decide(NodeId id) {
        const Node& node = graph_[id];
        if (is_shown_[at(id)] && is_list(node)) is_wanted_[at(id)] = true;
        // Products are found by their masks.
        if (is_mask_of_product_[at(id)]) return;
        if (is_elementwise_[at(id)] || is_given(node)) return;
        if (largest_[at(id)] == 0 && !joins_[at(id)]) return;
        const bool is_costly = info_of(node.kind).accumulates && readers_[at(id)] > 1;
        if (!is_at_places_[at(id)] && !is_costly) return;
        // Elements of a value that is as large as a list are made where they are read.
        if (is_whole_[at(id)] && !is_repeated_[at(id)] &&
            (frisket::is_elementwise(node.kind) || is_product(node) || is_large(id)))
            return;
        is_wanted_[at(id)] = true;
    }
    bool is_list(const Node& node) const { return node.symbol >= 0 && request_.facts[node.symbol].is_list(); }
    /// Returns whether a node is stored before a view repeats it at positions: it accumulates, or it is a
    /// list.
    bool is_made_once(NodeId id) const { return accumulates_[at(id)] || is_list(graph_[id]); }
    bool is_large(NodeId id) const {
        constexpr std::int64_t times = 4;
        return capped_count(graph_[id].shape) > times * largest_[at(id)];
    }

    /// Finds values of many operations that several of those that are made whole read, or one and the rest.
    void share() {
        constexpr int most_operations = 10;
        std::vector<int> operations(graph_.nodes.size());  // up to nodes that are made whole
        for (NodeId id = 0; id < count(); ++id) {
            int sum = graph_[id].kind == NodeKind::op || info_of(graph_[id].kind).accumulates ? 1 : 0;
            ir::for_each_id(graph_[id], [&](NodeId operand) {
                if (operand != no_node && !is_wanted_[at(operand)]) sum += operations[at(operand)];
            });
            operations[at(id)] = std::min(sum, most_operations + 1);
        }
        std::vector<NodeId> reader(graph_.nodes.size(), unread);  // the value that a node is a part of
        ir::for_each_root(graph_, [&](NodeId root) {
            if (root != no_node) reader[at(root)] = of_rest;
        });
        for (auto id = count(); id-- > 0;) {
            const bool is_many = operations[at(id)] > most_operations && !is_elementwise_[at(id)];
            if (reader[at(id)] == several && is_many && is_dense(id) && !is_move(graph_[id].kind) &&
                !is_large(id))
                is_wanted_[at(id)] = true;
            if (reader[at(id)] == unread) continue;
            const NodeId part = is_wanted_[at(id)] ? id : reader[at(id)];
            ir::for_each_id(graph_[id], [&](NodeId operand) {
                if (operand == no_node) return;
                NodeId& known = reader[at(operand)];
                known = known == unread || known == part ? part : several;
            });
        }
    }
    static constexpr NodeId unread = -1, several = -2, of_rest = -3;

    const PlanRequest& request_;
    const Graph& graph_;
    const std::vector<bool>&may_be_whole_, &is_of_terms_;
    std::vector<int> readers_;
    std::vector<bool> is_whole_;      // it has the shape of an expression of lists that reads it
    std::vector<bool> is_repeated_;   // it is smaller than one that reads it at its positions
    std::vector<bool> is_shown_;      // a view repeats it at positions
    std::vector<bool> is_at_places_;  // an expression of lists reads it at its positions
    std::vector<bool> is_mask_of_product_;
    std::vector<bool> accumulates_;     // it, or an operand of it
    std::vector<bool> joins_;           // it, or an operand of it, accumulates or joins tensors
    std::vector<bool> is_elementwise_;  // computed from arguments element by element
    std::vector<bool> is_wanted_;
    std::vector<std::int64_t> largest_;  // elements of the largest argument that a node reads
};

/// The plan of an expression over lists that reads values which are no lists and are not computed element by
/// element, such as sums, products and views: they are made first, and the rest reads them as tensors.
/// Cost: linear in the graph.
std::optional<Plan> plan_dense_operands(const PlanRequest& request) {
    if (std::ranges::none_of(request.facts.formats(), &Format::is_list)) return {};
    if (has_empty_tensors(request.graph)) return {};
    const DenseOperands operands(request);
    if (operands.are_none()) return {};
    const Graph& graph = request.graph;
    PlanBuilder to(request);
    ResidualGraph rest(graph, request.operands);
    bool has_new_views = false;
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        if (!operands.is_wanted(id)) {
            rest.keep();
            continue;
        }
        has_new_views = has_new_views || operands.is_shown_list(id);
        const ValueId made = rest.add_dense_operand(to);
        rest.take_dense(made, graph[id].dtype);
    }
    rest.finish(to.plan());
    if (to.plan().rest) to.plan().rest->has_new_views = has_new_views;
    return to.finish();
}

}  // namespace

PlanRule dense_operands_plan_rule() {
    return {.order = 1,
            .plan = plan_dense_operands,
            .rules = {&rules::dense_operand},
            .kinds = NodeKinds::where([](NodeKind kind) { return !is_elementwise(kind); })};
}

}  // namespace frisket::planning
