// SPDX-License-Identifier: MIT
#include "seen_views.hpp"

#include "../at.hpp"

#include <cstddef>

namespace frisket::ir {

bool has_same_lengths(Shape a, Shape b) {
    std::erase(a, 1);
    std::erase(b, 1);
    return a == b;
}

bool shows_each_once(const Node& view, const Shape& shape) {
    if (!view.offsets.empty() || element_count(view.shape) != element_count(shape)) return false;
    const std::size_t rank = view.shape.size();
    for (std::size_t d = 0; d < shape.size(); ++d) {
        std::int64_t seen = 0;
        for (std::size_t j = 0; j < rank; ++j) {
            const std::int64_t here = view.shape[j] == 1 ? 0 : view.attributes[d * rank + j];
            if (here != 0 && here != 1) return false;
            seen += here;
        }
        if (shape[d] != 1 && seen != 1) return false;
    }
    return true;
}

std::vector<bool> views_of_results(const Graph& graph) {
    std::vector<bool> is_at_place(graph.nodes.size(), false);
    std::vector<int> readers(graph.nodes.size(), 0);
    for (const NodeId id : graph.results) is_at_place[at(id)] = true;
    for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
        const Node& node = graph[id];
        const bool passes = is_at_place[at(id)] && (is_elementwise(node.kind) || is_move(node.kind));
        for_each_id(node, [&](NodeId operand) {
            if (operand == no_node) return;
            if (operand != node.mask) ++readers[at(operand)];  // a mask moves with its value
            if (passes) is_at_place[at(operand)] = true;
        });
    }
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id)
        is_at_place[at(id)] =
            is_at_place[at(id)] && is_move(graph[id].kind) && readers[at(graph[id].operands[0])] == 1;
    return is_at_place;
}

bool is_squeeze_of_elements(const Graph& graph, const Node& node) {
    if (node.kind != NodeKind::view && node.kind != NodeKind::reshape) return false;
    const Node& shown = graph[node.operands[0]];
    const bool is_made_at_place =
        is_elementwise(shown.kind) || (is_product(shown) && shown.operands[1] == no_node);
    if (!is_made_at_place || shown.symbol >= 0 || shown.is_host_scalar ||
        node.shape.size() >= shown.shape.size() || !has_same_lengths(node.shape, shown.shape))
        return false;
    return node.kind == NodeKind::reshape || shows_each_once(node, shown.shape);
}

}  // namespace frisket::ir
