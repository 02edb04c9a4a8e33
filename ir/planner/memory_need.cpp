// SPDX-License-Identifier: MIT
#include "memory_need.hpp"

#include "../../runtime/tensor/free_memory.hpp"
#include "../../runtime/tensor/memory.hpp"
#include "../graph_text.hpp"

#include <algorithm>
#include <limits>

namespace frisket::planning {

using frisket::to_string;

namespace {

constexpr int name_depth = 2;

/// Fewer bytes are taken without a look at the system.
constexpr std::int64_t least_checked = std::int64_t{64} << 20;

std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t both = 0;
    return __builtin_add_overflow(a, b, &both) ? std::numeric_limits<std::int64_t>::max() : both;
}

}  // namespace

std::int64_t tensor_bytes(DType dtype, const Shape& shape) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(element_count(shape), std::int64_t{bytes_of(dtype)}, &bytes))
        return std::numeric_limits<std::int64_t>::max();
    return bytes;
}

void MemoryNeed::add(std::int64_t bytes) { bytes_ = sum(bytes_, bytes); }

void MemoryNeed::note(const Graph& graph, NodeId node, DType dtype) {
    const Shape& shape = graph[node].shape;
    const std::int64_t bytes = tensor_bytes(dtype, shape);
    if (bytes <= largest_bytes_) return;
    largest_bytes_ = bytes;
    if (bytes < least_checked) return;
    const bool is_result = std::ranges::find(graph.results, node) != graph.results.end();
    largest_ = (is_result ? "the result " : "on the way ") + ir::expression_text(graph, node, name_depth) +
               " has shape " + to_string(shape) + " of " + std::string(name_of(dtype)) + " and takes " +
               runtime::bytes_text(bytes);
}

void MemoryNeed::add_result(const Graph& graph, NodeId result) {
    const Node& node = graph[result];
    std::int64_t bytes = tensor_bytes(node.result_dtype(), node.shape);
    if (node.mask != no_node) bytes = sum(bytes, tensor_bytes(DType::boolean, node.shape));
    add(bytes);
    result_bytes_ = sum(result_bytes_, bytes);
    note(graph, result, node.result_dtype());
}

void MemoryNeed::check(std::string_view who) const {
    if (bytes_ < least_checked) return;
    const runtime::FreeMemory free = runtime::free_memory();
    if (bytes_ <= free.bytes) {
        // Blocks that the pool keeps stand in the way of new ones.
        if (bytes_ > free.bytes - result_pool_use().bytes_kept) trim_result_pool();
        return;
    }
    const std::string all = runtime::bytes_text(bytes_);
    std::string text = largest_.empty() ? "what is held at once takes " + all : largest_;
    if (bytes_ > largest_bytes_ && !largest_.empty()) text += ", with all that is held beside it " + all;
    throw ShapeError(std::string(who) + ": " + text + "; " + free.limit + " leaves " +
                     runtime::bytes_text(free.bytes) +
                     ": evaluate it in parts, reduce it in the same expression, or keep it masked in a "
                     "layout that lists its elements");
}

void check_dense_results(const Graph& graph) {
    MemoryNeed need;
    for (const NodeId result : graph.results)
        if (graph[result].mask == no_node) need.add_result(graph, result);
    need.check(graph.name);
}

std::int64_t checked_interpreted_bytes(const Graph& body) {
    MemoryNeed need;
    for (const NodeId result : body.results) need.add_result(body, result);
    for (NodeId id = 0; id < static_cast<NodeId>(body.nodes.size()); ++id) {
        const bool is_result = std::ranges::find(body.results, id) != body.results.end();
        if (body[id].is_host_scalar || is_result) continue;
        need.add(tensor_bytes(body[id].dtype, body[id].shape));
        need.note(body, id, body[id].dtype);
    }
    need.check(body.name);
    return need.held_bytes();
}

}  // namespace frisket::planning
