// SPDX-License-Identifier: MIT
#include "whole_masks.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"
#include "../shown_elements.hpp"
#include "list_analysis.hpp"
#include "list_products.hpp"

#include <algorithm>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

/// True for a mask, or a bool without one, that has less elements than a shape to which it broadcasts.
bool is_mask_of_less(const Graph& graph, NodeId id, const Shape& shape) {
    if (id == no_node) return false;
    const Node& node = graph[id];
    return node.dtype == DType::boolean && node.mask == no_node && !node.is_host_scalar &&
           node.shape != shape && element_count(node.shape) != 1;
}

/// Writes the graph node by node.
class WholeMasks {
public:
    explicit WholeMasks(const PlanRequest& request)
        : from_(request.graph),
          to_(request.graph),
          sizes_(request),
          reads_list_(reading_lists(request)),
          is_of_terms_(read_as_terms(request)) {
        to_.rule = [this](NodeId old) { return rule(old); };
    }

    Graph run() {
        to_.copy_all();
        return to_.finish();
    }

private:
    bool is_too_large(NodeId id) const { return !sizes_.holds(from_[id].shape) && !is_of_terms_[at(id)]; }

    std::optional<NodeId> rule(NodeId old) {
        const Node& node = from_[old];
        const bool reduces =
            (node.kind == NodeKind::reduce && !is_product(node)) || node.kind == NodeKind::scan;
        const NodeId whole = reduces ? node.operands[0] : old;
        if ((!reduces && !reads_repeated_mask(from_, node)) || !is_too_large(whole)) return {};
        const Shape& shape = from_[whole].shape;
        Node made = to_.copied(old);
        for (std::size_t i = 0; i < node.operands.size(); ++i)
            if (is_repeated(node.operands[i], shape)) made.operands[i] = repeated(made.operands[i], shape);
        if (is_repeated(node.mask, node.shape)) made.mask = repeated(made.mask, node.shape);
        return to_.add(std::move(made));
    }

    /// True for a mask of a list with less elements, and of a list that has the same number in less
    /// dimensions.
    bool is_repeated(NodeId id, const Shape& shape) const {
        if (id == no_node || !reads_list_[at(id)]) return false;
        const Shape& own = from_[id].shape;
        const bool is_list = from_[id].mask != no_node;
        return is_list ? own.size() < shape.size() && element_count(own) == element_count(shape)
                       : is_mask_of_less(from_, id, shape);
    }

    /// A view of a node that broadcasts to a shape, in that shape; the same, if a list of it would be too
    /// long.
    NodeId repeated(NodeId id, const Shape& shape) {
        Node view = ir::broadcast_view(to_.graph(), id, shape);
        if (to_[id].mask != no_node) view.mask = repeated(to_[id].mask, shape);
        return sizes_.holds_repeated(view) ? to_.add(std::move(view)) : id;
    }

    const Graph& from_;
    ir::Rewriter to_;
    const TensorSizes sizes_;
    const std::vector<bool>& reads_list_;
    const std::vector<bool>& is_of_terms_;  // read by products in the dimensions of their terms
};

}  // namespace

bool reads_repeated_mask(const Graph& graph, const Node& node) {
    if (!is_elementwise(node.kind) || node.symbol >= 0 || node.is_host_scalar) return false;
    const auto is_repeated = [&](NodeId id) { return is_mask_of_less(graph, id, node.shape); };
    return is_repeated(node.mask) || std::ranges::any_of(node.operands, is_repeated);
}

std::optional<Graph> with_whole_masks(const PlanRequest& request) {
    const auto is_repeated = [&](const Node& node) { return reads_repeated_mask(request.graph, node); };
    if (std::ranges::none_of(request.graph.nodes, is_repeated)) return {};
    return WholeMasks(request).run();
}

}  // namespace frisket::planning
