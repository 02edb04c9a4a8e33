// SPDX-License-Identifier: MIT
#include "extents.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "../../runtime/limits.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../limits.hpp"

namespace frisket::codegen {

namespace {

constexpr std::int64_t most_counted = std::numeric_limits<std::int32_t>::max();

/// Operations for each element: a running reduction doubles the combined run until a block is whole, and adds
/// the total before it.
int passes_of(const Node& node) {
    return node.kind == NodeKind::scan ? std::bit_width(static_cast<unsigned>(limits::scan_block)) : 1;
}

}  // namespace

bool is_large(const Graph& graph) {
    std::int64_t all = 0;
    for (const Node& node : graph.nodes) {
        const std::int64_t work = node.is_host_scalar ? 0 : work_of(graph, node);
        if (work >= limits::least_for_threads) return true;
        if (node.kind == NodeKind::op || info_of(node.kind).accumulates) all += work * passes_of(node);
    }
    return all >= limits::least_in_all_for_threads;
}

void check_extents(const Node& node) {
    const bool is_read = node.kind < NodeKind::op;
    const std::int64_t most = is_read ? most_counted : limits::most_stored;
    if (element_count(node.shape) <= most) return;
    throw ShapeError("an expression has a tensor of shape " + to_string(node.shape) + ": loops " +
                     (is_read ? "read" : "store") + " at most " + std::to_string(most) +
                     " elements, evaluate it in parts");
}

namespace {

/// Checks that loops can count the elements that a node combines, along each dimension.
void check_reduced(const Graph& graph, const Node& node) {
    if (!info_of(node.kind).accumulates) return;
    const Shape shape = reduced_shape(graph, node);
    if (std::ranges::all_of(shape, [](auto extent) { return extent <= most_counted; })) return;
    throw ShapeError("an expression puts elements of shape " + to_string(shape) +
                     " together: loops count fewer than 2^31 along a dimension, write it in more dimensions");
}

}  // namespace

void check_extents(const Graph& graph) {
    for (const Node& node : graph.nodes) check_reduced(graph, node);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const NodeKind kind = graph[id].kind;
        const bool is_inlined = kind >= NodeKind::op && is_elementwise(kind);
        if ((is_inlined || info_of(kind).accumulates) &&
            std::ranges::find(graph.results, id) == graph.results.end())
            continue;
        if (kind != NodeKind::view) check_extents(graph[id]);
    }
}

}  // namespace frisket::codegen
