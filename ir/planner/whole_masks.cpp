// SPDX-License-Identifier: MIT
#include "whole_masks.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"
#include "list_analysis.hpp"
#include "list_products.hpp"

#include <algorithm>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

/// Writes the graph node by node.
class WholeMasks {
public:
    explicit WholeMasks(const PlanRequest& request)
        : from_(request.graph),
          to_(request.graph),
          sizes_(request),
          is_of_terms_(read_as_terms(request.graph)) {
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
        if (node.is_host_scalar || is_product(node)) return {};
        const bool is_masked = has_repeated_mask(from_, node) && is_too_large(old);
        const bool has_where = (node.kind == NodeKind::reduce || node.kind == NodeKind::scan) &&
                               node.operands[1] != no_node && is_too_large(node.operands[0]) &&
                               from_[node.operands[1]].shape != from_[node.operands[0]].shape;
        if (!is_masked && !has_where) return {};
        Node made = to_.copied(old);
        if (has_where) made.operands[1] = repeated(made.operands[1], from_[node.operands[0]].shape);
        if (is_masked) made.mask = repeated(made.mask, node.shape);
        if (is_masked && node.kind == NodeKind::on) made.operands[1] = made.mask;
        return to_.add(std::move(made));
    }

    /// A view of a mask that broadcasts to a shape; the mask, if a list of it would be too long.
    NodeId repeated(NodeId mask, const Shape& shape) {
        const Shape& own = to_[mask].shape;
        const std::size_t rank = shape.size(), before = rank - own.size();
        Node view{.kind = NodeKind::view, .dtype = DType::boolean, .operands = {mask}, .shape = shape};
        view.attributes.assign(own.size() * rank, 0);
        for (std::size_t d = 0; d < own.size(); ++d)
            view.attributes[d * rank + before + d] = own[d] == shape[before + d] ? 1 : 0;
        return sizes_.holds_repeated(view) ? to_.add(std::move(view)) : mask;
    }

    const Graph& from_;
    ir::Rewriter to_;
    const TensorSizes sizes_;
    const std::vector<bool> is_of_terms_;  // read by products in the dimensions of their terms
};

}  // namespace

bool has_repeated_mask(const Graph& graph, const Node& node) {
    return node.mask != no_node && !node.is_host_scalar && graph[node.mask].shape != node.shape;
}

std::optional<Graph> with_whole_masks(const PlanRequest& request) {
    const auto is_repeated = [&](const Node& node) { return has_repeated_mask(request.graph, node); };
    if (std::ranges::none_of(request.graph.nodes, is_repeated)) return {};
    return WholeMasks(request).run();
}

}  // namespace frisket::planning
