// SPDX-License-Identifier: MIT
#include "long_reductions.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"
#include "../tensor_ops/value.hpp"

#include <algorithm>
#include <limits>

namespace frisket::ir {

namespace {

constexpr std::int64_t part = std::int64_t{1} << 30, most_parts = 64;

/// The operation of two results that returns the result for the elements of both; nothing for positions.
std::optional<OpId> joining(const Node& node) {
    if (node.kind != NodeKind::reduce || node.is_host_scalar) return {};
    switch (node.reduction) {
        case Reduction::sum: return op_id<op::Add>;
        case Reduction::prod: return op_id<op::Mul>;
        case Reduction::amin: return op_id<op::Minimum>;
        case Reduction::amax: return op_id<op::Maximum>;
        case Reduction::any: return op_id<op::LogicalOr>;
        case Reduction::all: return op_id<op::LogicalAnd>;
        default: return {};
    }
}

/// The dimension that is reduced in parts; -1 without such a dimension.
int long_dim(const Graph& graph, const Node& node) {
    if (!joining(node)) return -1;
    const Shape& shape = graph[node.operands[0]].shape;
    const auto found = std::ranges::find_if(node.attributes, [&](std::int64_t dim) {
        return shape[at(dim)] > std::numeric_limits<int>::max() && shape[at(dim)] <= part * most_parts;
    });
    return found == node.attributes.end() ? -1 : static_cast<int>(*found);
}

NodeId in_parts(Rewriter& to, const Node& node, int dim) {
    const std::vector<int> dims(node.attributes.begin(), node.attributes.end());
    Value x{&to, to.copy(node.operands[0])};
    const NodeId where = to.copy(node.operands[1]);
    x = with_mask(x, where == no_node ? std::nullopt : std::optional(Value{&to, where}));
    const std::int64_t extent = x.shape()[at(dim)];
    const DType carried = node.dtype == DType::float32 ? DType::float64 : node.dtype;
    std::optional<Value> all;
    for (std::int64_t first = 0; first < extent; first += part) {
        const Value some = slice(x, dim, first, std::min(first + part, extent));
        const Value made = reduce(node.reduction, some, dims, false, carried);
        all = all ? apply(*joining(node), {*all, made}, MaskMode::unite) : made;
    }
    return cast(*all, node.dtype).id;
}

}  // namespace

bool reduce_in_parts(Graph& graph) {
    const auto is_long = [&](const Node& node) { return long_dim(graph, node) >= 0; };
    if (std::ranges::none_of(graph.nodes, is_long)) return false;
    Rewriter to(graph);
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        const int dim = long_dim(graph, graph[old]);
        if (dim < 0) return {};
        return in_parts(to, graph[old], dim);
    };
    to.copy_all();
    graph = to.finish();
    return true;
}

}  // namespace frisket::ir
