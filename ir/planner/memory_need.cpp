// SPDX-License-Identifier: MIT
#include "memory_need.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/memory.hpp"
#include "../graph_text.hpp"
#include "../rewrite.hpp"
#include "planner.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace frisket::planning {

using frisket::to_string;

namespace {

constexpr int name_depth = 2;

std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t both = 0;
    return __builtin_add_overflow(a, b, &both) ? std::numeric_limits<std::int64_t>::max() : both;
}

bool is_list_argument(const Argument& argument) { return runtime::is_list(argument.layout()); }

}  // namespace

std::int64_t tensor_bytes(DType dtype, const Shape& shape) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(element_count(shape), std::int64_t{bytes_of(dtype)}, &bytes))
        return std::numeric_limits<std::int64_t>::max();
    return bytes;
}

void MemoryNeed::add(std::int64_t bytes) { bytes_ = sum(bytes_, bytes); }

void MemoryNeed::add_dense_copy(const Symbol& symbol, std::int64_t bytes) {
    add(bytes);
    const bool is_known = std::ranges::find(copied_, symbol.name) != copied_.end();
    if (bytes >= least_checked_bytes && !is_known) copied_.push_back(symbol.name);
}

void MemoryNeed::note(const Graph& graph, NodeId node, DType dtype) {
    const Shape& shape = graph[node].shape;
    const std::int64_t bytes = tensor_bytes(dtype, shape);
    if (bytes <= largest_bytes_) return;
    largest_bytes_ = bytes;
    if (bytes < least_checked_bytes) return;
    const bool is_result = std::ranges::find(graph.results, node) != graph.results.end();
    largest_ = (is_result ? "the result " : "on the way ") + ir::expression_text(graph, node, name_depth) +
               " has shape " + to_string(shape) + " of " + std::string(name_of(dtype)) + " and takes " +
               runtime::bytes_text(bytes);
}

void MemoryNeed::add_result(const Graph& graph, NodeId result) {
    const Node& node = graph[result];
    std::int64_t bytes = tensor_bytes(node.result_dtype(), node.shape);
    has_masked_result_ = has_masked_result_ || node.mask != no_node;
    if (node.mask != no_node) bytes = sum(bytes, tensor_bytes(DType::boolean, node.shape));
    add(bytes);
    result_bytes_ = sum(result_bytes_, bytes);
    note(graph, result, node.result_dtype());
}

/// Ways to need less, by the user of the memory.
std::string MemoryNeed::advice(const std::function<std::string()>& cause) const {
    if (!copied_.empty()) {
        const std::string first = cause ? cause() : "";
        return (first.empty() ? "" : first + " is not computed at the places of a list: ") +
               "evaluate it in parts";
    }
    const std::string reduced = "evaluate it in parts, reduce it in the same expression, or ";
    return reduced + (has_masked_result_ ? "keep it masked in a layout that lists its elements"
                                         : "read it at the places of a list, on(list, ...)");
}

std::string MemoryNeed::misfit(const std::function<std::string()>& cause) const {
    return bytes_ < least_checked_bytes ? "" : misfit(runtime::free_memory(), cause);
}

std::string MemoryNeed::misfit(const runtime::FreeMemory& free,
                               const std::function<std::string()>& cause) const {
    if (bytes_ <= free.bytes) return "";
    const std::string all = runtime::bytes_text(bytes_);
    std::string text = largest_.empty() ? "what is held at once takes " + all : largest_;
    if (bytes_ > largest_bytes_ && !largest_.empty()) text += ", with all that is held beside it " + all;
    if (!copied_.empty())
        text += ", as " + runtime::in_words(runtime::joined(copied_), "and") +
                (copied_.size() == 1 ? " is" : " are") + " made dense";
    return text + "; " + free.limit + " leaves " + runtime::bytes_text(free.bytes) + ": " + advice(cause);
}

void MemoryNeed::check(std::string_view who, const std::function<std::string()>& cause) const {
    if (bytes_ < least_checked_bytes) return;
    const runtime::FreeMemory free = runtime::free_memory();
    const std::string text = misfit(free, cause);
    if (!text.empty()) throw ShapeError(std::string(who) + ": " + text);
    // Blocks that the pool keeps obstruct new blocks.
    if (bytes_ > free.bytes - result_pool_use().bytes_kept) trim_result_pool();
}

void check_dense_results(const Graph& graph) {
    MemoryNeed need;
    for (const NodeId result : graph.results)
        if (graph[result].mask == no_node) need.add_result(graph, result);
    need.check(graph.name);
}

std::string dense_cause(const Graph& body, std::span<const Format> formats) {
    const std::vector<ValueId> operands = argument_values(formats.size());
    const auto is_planned = [&](const Graph& part) {
        // Facts decide between plans, seldom whether there is one.
        return std::ranges::any_of(std::array{true, false}, [&](bool answer) {
            const PlanFacts facts({formats.begin(), formats.end()}, [&](const PlanTest&) { return answer; });
            return plan_call({part, facts, operands, static_cast<ValueId>(operands.size())}).has_value();
        });
    };
    for (NodeId id = 0; id < static_cast<NodeId>(body.nodes.size()); ++id) {
        const Node& node = body[id];
        // How many elements a list has is not known before it is made.
        const bool is_known = std::ranges::find(node.shape, -1) == node.shape.end();
        if (node.symbol >= 0 || node.mask == no_node || !is_known) continue;
        if (tensor_bytes(node.dtype, node.shape) < least_checked_bytes) continue;
        Graph part = body;
        part.results = {id};
        part.checks.clear();
        part.equal_masks.clear();
        const std::string text = ir::expression_text(body, id, name_depth);
        ir::prune(part);
        if (!is_planned(part)) return text;
    }
    return "";
}

std::int64_t checked_interpreted_bytes(const Graph& body, std::span<const Argument> arguments) {
    MemoryNeed need;
    for (const NodeId result : body.results) need.add_result(body, result);
    for (NodeId id = 0; id < static_cast<NodeId>(body.nodes.size()); ++id) {
        const bool is_result = std::ranges::find(body.results, id) != body.results.end();
        if (body[id].is_host_scalar || is_result) continue;
        const std::int64_t bytes = tensor_bytes(body[id].dtype, body[id].shape);
        const int symbol = body[id].symbol;
        const bool is_list = symbol >= 0 && is_list_argument(arguments[static_cast<std::size_t>(symbol)]);
        if (is_list)
            need.add_dense_copy(body.symbols[static_cast<std::size_t>(symbol)], bytes);
        else
            need.add(bytes);
        need.note(body, id, body[id].dtype);
    }
    need.check(body.name, [&] { return dense_cause(body, formats_of(arguments)); });
    return need.held_bytes();
}

}  // namespace frisket::planning
