// SPDX-License-Identifier: MIT
#include "body_stage.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "../at.hpp"

namespace frisket::planning {

using ir::at;

BodyStage body_at(Graph graph, const IterationSpaceAnalysis& nodes, ValueId coordinates,
                  std::span<const ValueId> operands) {
    std::vector<bool> is_listed(graph.symbols.size(), false);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        if (!nodes.is_listed(id) || !nodes.is_computable(id)) continue;  // no node here reads it
        Node& node = graph.nodes[at(id)];
        node.shape = nodes.shape(id, coordinate_extent);
        // Nothing here reads a mask that cannot be had at the coordinates.
        if (node.mask != no_node && !nodes.is_computable(node.mask)) node.mask = no_node;
        const bool is_moved = node.kind == NodeKind::view && nodes.is_listed(node.operands[0]);
        if (is_moved && !nodes.space().by_rows) {
            node.kind = NodeKind::reshape;  // listed elements are in a line
            node.attributes.clear();
            node.offsets.clear();
        }
        if (node.symbol < 0) continue;
        graph.symbols[at(node.symbol)].shape = node.shape;
        is_listed[at(node.symbol)] = true;
    }
    graph.equal_masks.clear();
    ir::prune(graph);
    BodyStage body{.coordinates = coordinates};
    for (const int symbol : ir::prune_symbols(graph))
        body.operands.push_back(
            {.value = operands[at(symbol)], .symbol = is_listed[at(symbol)] ? symbol : BodyOperand::whole});
    body.graph = std::move(graph);
    return body;
}

Graph with_extent(Graph graph, std::int64_t count) {
    for (Node& node : graph.nodes) std::ranges::replace(node.shape, coordinate_extent, count);
    for (Symbol& symbol : graph.symbols) std::ranges::replace(symbol.shape, coordinate_extent, count);
    return graph;
}

bool is_function(const Node& node) {
    return node.kind == NodeKind::op && info_of(node.op).dtype == DTypeRule::floating &&
           node.op != op_id<op::Div>;
}

NodeId filled(ir::Rewriter& body, NodeId id) {
    const Node& node = body.graph()[id];
    Node dense{.kind = NodeKind::to_dense, .dtype = node.dtype, .shape = node.shape};
    dense.operands = {id, body.constant(0)};
    return body.add(std::move(dense));
}

NodeId read_stored(ir::Rewriter& body, const Node& node, const std::string& number) {
    Graph& graph = body.graph();
    graph.symbols.push_back(
        {.name = "#" + number, .kind = SymbolKind::in, .dtype = node.dtype, .shape = node.shape});
    const NodeId values = body.add({.kind = NodeKind::symbol,
                                    .dtype = node.dtype,
                                    .symbol = static_cast<int>(graph.symbols.size()) - 1,
                                    .shape = node.shape});
    if (node.mask == no_node) return values;
    const NodeId mask = body.copy(node.mask);
    return body.add({.kind = NodeKind::on,
                     .dtype = node.dtype,
                     .operands = {values, mask},
                     .mask = mask,
                     .shape = node.shape});
}

AnyTensor unmade(DType dtype, const Shape& shape) {
    alignas(64) static std::byte nowhere[64] = {};
    return {dtype, nowhere, shape, contiguous_strides(shape), false, {}};
}

}  // namespace frisket::planning
