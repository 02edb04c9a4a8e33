// SPDX-License-Identifier: MIT
#include "mask_lineage.hpp"

#include "../../ir/contained_masks.hpp"
#include "../../ir/shown_elements.hpp"

#include <algorithm>
#include <utility>

namespace frisket::python {

namespace {

/// True for an instruction that moves elements of a mask, or tells whether any of them is true.
bool is_step(const Node& node) {
    if (node.kind == NodeKind::reduce) return node.reduction == Reduction::any && node.operands[1] == no_node;
    return is_move(node.kind);
}

/// Adds the steps that lead from a mask; the last of them is the result.
NodeId add_steps(Graph& graph, NodeId mask, std::span<const Node> steps) {
    for (Node step : steps) {
        step.operands[0] = mask;
        mask = static_cast<NodeId>(graph.nodes.size());
        graph.nodes.push_back(std::move(step));
    }
    return mask;
}

}  // namespace

MaskLineage::MaskLineage(const Graph& graph, NodeId mask, std::span<const MaskLineage> symbols) {
    std::vector<Node> steps;
    for (; mask != no_node && is_step(graph[mask]); mask = graph[mask].operands[0])
        steps.push_back(graph[mask]);
    if (mask == no_node || graph[mask].kind != NodeKind::mask_of) return;
    const MaskLineage& source = symbols[static_cast<std::size_t>(graph[mask].symbol)];
    source_ = source.source_;
    steps_ = source.steps_;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) add(std::move(*step));
}

/// Views that follow each other are one view, or none if that shows everything in its place.
void MaskLineage::add(Node step) {
    if (!steps_.empty() && steps_.back().kind == NodeKind::view && step.kind == NodeKind::view) {
        const Node inner = steps_.back();
        steps_.pop_back();
        const Shape& shape = steps_.empty() ? *source_ : steps_.back().shape;
        step = ir::composed(step, inner, shape);
        if (ir::shows_all(step, shape)) return;
    }
    steps_.push_back(std::move(step));
}

bool MaskLineage::is_long() const {
    constexpr std::ptrdiff_t most_moves = 12;
    const auto is_a_move = [](const Node& step) { return is_move(step.kind); };
    return !steps_.empty() && is_a_move(steps_.back()) &&
           std::ranges::count_if(steps_, is_a_move) >= most_moves;
}

bool MaskLineage::is_reduction_of(const MaskLineage& part) const {
    if (source_ == nullptr || source_ != part.source_) return false;
    Graph graph;
    graph.shaped = true;
    graph.symbols.push_back(
        {.name = "source", .kind = SymbolKind::masked, .dtype = DType::boolean, .shape = *source_});
    graph.nodes.push_back(
        {.kind = NodeKind::mask_of, .dtype = DType::boolean, .symbol = 0, .shape = *source_});
    const NodeId own = add_steps(graph, 0, steps_), other = add_steps(graph, 0, part.steps_);
    return ir::is_contained(graph, own, other) && !ir::is_contained(graph, other, own);
}

}  // namespace frisket::python
