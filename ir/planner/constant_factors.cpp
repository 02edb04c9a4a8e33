// SPDX-License-Identifier: MIT
#include "constant_factors.hpp"

#include "../at.hpp"
#include "../shown_elements.hpp"
#include "list_products.hpp"
#include "product_dims.hpp"
#include "product_form.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

/// True for a view of restricted values that are read without their mask.
bool is_bare_view(const Graph& graph, NodeId id) {
    const Node& view = graph[id];
    if (view.kind != NodeKind::view || view.mask != no_node) return false;
    if (!is_bare(graph, graph[view.operands[0]])) return false;
    const Node& masked = graph[graph[view.operands[0]].operands[0]];
    return masked.kind == NodeKind::on && !masked.is_host_scalar;
}

bool reads_bare_views(const Graph& graph, const Node& node) {
    return is_product(node) && node.operands[1] != no_node &&
           (is_bare_view(graph, node.operands[0]) || is_bare_view(graph, node.operands[2]));
}

/// Writes the graph node by node.
class ConstantFactors : ListWriter {
public:
    explicit ConstantFactors(const PlanRequest& request) : ListWriter(request) {
        to_.rule = [this](NodeId old) { return rule(old); };
    }

    std::optional<Graph> run() {
        to_.copy_all();
        return has_any_ ? std::optional(to_.finish()) : std::nullopt;
    }

private:
    std::optional<NodeId> rule(NodeId old) {
        const Node& node = from_[old];
        if (!reads_bare_views(from_, node)) return {};
        Node made = to_.copied(old);
        bool has_one = false;
        for (const std::size_t i : {0, 2})
            if (const auto constant = constant_factor(node, i)) {
                made.operands[i] = *constant;
                has_any_ = has_one = true;
            }
        return has_one ? std::optional(to_.add(std::move(made))) : std::nullopt;
    }

    std::optional<NodeId> constant_factor(const Node& product, std::size_t i) {
        const NodeId factor = product.operands[i], other = product.operands[2 - i];
        const Node& view = from_[factor];
        if (!is_bare_view(from_, factor) || sizes_.holds(view.shape)) return {};
        const bool is_of_list = !may_be_whole_[at(other)];
        const Shape shape = is_of_list ? least_shape(product, view.shape, from_[other].shape) : view.shape;
        if (is_of_list && !sizes_.holds(shape)) return {};
        const Node& masked = from_[from_[view.operands[0]].operands[0]];
        const NodeId values = to_.copy(masked.operands[0]);
        if (to_[values].mask != no_node || !repeated_.is_same(values)) return {};
        const NodeId own = products_.mask_of_factor(factor);
        // A mask of terms that is the factor's says at which elements of a list the product has terms.
        const auto is_own = [&](NodeId part) { return shows_same(to_.graph(), part, own); };
        if (std::ranges::any_of(parts_of(to_, repeated_, to_.copy(product.operands[1]), false), is_own))
            return {};
        Node one{.kind = NodeKind::cast, .dtype = view.dtype, .operands = {repeated_.once(values)}};
        one.shape = to_[one.operands[0]].shape;
        return repeated_.whole(to_.add(std::move(one)), shape);
    }

    /// The shape of a factor without the dimensions of the result that the other factor has.
    static Shape least_shape(const Node& product, Shape shape, const Shape& other) {
        if (shape.size() < other.size()) return shape;
        const std::size_t missing = shape.size() - other.size();
        for (std::size_t d = missing; d < shape.size(); ++d)
            if (!ir::reduces(product, d) && other[d - missing] == shape[d]) shape[d] = 1;
        return shape;
    }

    bool has_any_ = false;
};

}  // namespace

std::optional<Graph> with_constant_factors(const PlanRequest& request) {
    const Graph& graph = request.graph;
    const auto reads_any = [&](const Node& node) { return reads_bare_views(graph, node); };
    return std::ranges::any_of(graph.nodes, reads_any) ? ConstantFactors(request).run() : std::nullopt;
}

}  // namespace frisket::planning
