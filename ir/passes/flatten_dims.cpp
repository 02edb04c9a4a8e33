// SPDX-License-Identifier: MIT
#include "flatten_dims.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace frisket::ir {

namespace {

/// True if an instruction keeps its meaning when all dimensions of its operands become one.
bool ignores_dimensions(const Graph& graph, const Node& node) {
    if (is_elementwise(node.kind) || node.kind == NodeKind::size) return true;
    if (node.kind != NodeKind::reduce || node.reduction == Reduction::argmin ||
        node.reduction == Reduction::argmax)
        return false;
    return node.attributes.size() == graph[node.operands[0]].shape.size() && node.shape.empty();
}

}  // namespace

std::optional<Shape> common_shape(const Graph& graph) {
    std::optional<Shape> common;
    for (const Node& node : graph.nodes) {
        if (!ignores_dimensions(graph, node)) return {};
        if (node.shape.empty()) continue;
        if (common && node.shape != *common) return {};
        common = node.shape;
    }
    if (common && element_count(*common) > std::numeric_limits<std::int32_t>::max()) return {};
    return common;
}

Graph flattened(Graph graph, const Shape& shape) {
    const Shape flat{element_count(shape)};
    const auto flatten = [&](Shape& own) {
        if (!own.empty()) own = flat;
    };
    for (Node& node : graph.nodes) {
        if (node.kind == NodeKind::reduce && !node.attributes.empty()) node.attributes = {0};
        flatten(node.shape);
    }
    for (Symbol& symbol : graph.symbols) flatten(symbol.shape);
    return graph;
}

}  // namespace frisket::ir
