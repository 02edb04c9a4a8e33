// SPDX-License-Identifier: MIT
#include "empty_masks.hpp"

#include "../at.hpp"
#include "../rewrite.hpp"
#include "known_number.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace frisket::ir {

namespace {

/// One element, repeated.
NodeId repeated(Rewriter& to, NodeId element, DType dtype, const Shape& shape) {
    const NodeId one = to.add({.kind = NodeKind::cast, .dtype = dtype, .operands = {element}});
    if (shape.empty()) return one;
    return to.add({.kind = NodeKind::view, .dtype = dtype, .operands = {one}, .shape = shape});
}

NodeId zeros(Rewriter& to, DType dtype, const Shape& shape) {
    return repeated(to, to.constant(0), dtype, shape);
}

/// The number that all specified elements of a node are, by the numbers of the nodes before it.
KnownNumber known_element(const Graph& graph, const Node& node, const std::vector<KnownNumber>& known) {
    const auto of = [&](NodeId id) { return id == no_node ? KnownNumber() : known[at(id)]; };
    const auto is_known_zero = [&](NodeId id) { return of(id) == 0; };
    if (node.kind == NodeKind::constant) return known_constant(node);
    if (node.operands.empty()) return {};
    const bool adds = node.kind == NodeKind::reduce &&
                      (node.reduction == Reduction::any || node.reduction == Reduction::sum);
    if (adds && is_known_zero(node.operands[0])) return 0;
    const bool fills = node.kind == NodeKind::to_dense, restricts = node.kind == NodeKind::on;
    if (fills && is_known_zero(graph[node.operands[0]].mask)) return of(node.operands[1]);
    if (fills && of(node.operands[0]) != of(node.operands[1])) return {};
    if (fills || restricts) return of(node.operands[0]);
    // Values that are read without their mask are no known number.
    const auto is_bare = [&](NodeId id) { return id != no_node && graph[id].mask != no_node; };
    if (node.mask == no_node && std::ranges::any_of(node.operands, is_bare)) return {};
    if (is_move(node.kind) || node.kind == NodeKind::gather) return of(node.operands[0]);
    if (node.kind == NodeKind::cat && std::ranges::all_of(node.operands, is_known_zero)) return 0;
    std::array<KnownNumber, 3> operands;
    if (!is_elementwise(node.kind) || node.operands.size() > operands.size()) return {};
    std::ranges::transform(node.operands, operands.begin(), of);
    return known_result(graph, node, std::span(operands).first(node.operands.size()));
}

}  // namespace

std::vector<bool> zero_everywhere(const Graph& graph) {
    std::vector<KnownNumber> known;
    std::vector<bool> are;
    for (const Node& node : graph.nodes) {
        known.push_back(known_element(graph, node, known));
        are.push_back(node.mask == no_node && known.back() == 0);
    }
    return are;
}

std::optional<Graph> without_unspecified_values(const Graph& graph) {
    if (std::ranges::none_of(graph.nodes, is_zero)) return {};
    const std::vector<bool> are_zero = zero_everywhere(graph);
    const auto is_nowhere = [&](const Node& node) { return node.mask != no_node && are_zero[at(node.mask)]; };
    const auto is_made_zero = [&](NodeId id) {
        const Node& node = graph[id];
        return (node.dtype == DType::boolean || info_of(node.kind).accumulates) &&
               node.kind != NodeKind::constant && are_zero[at(id)];
    };
    bool are_any = false;
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id)
        are_any = are_any || is_nowhere(graph[id]) || is_made_zero(id);
    if (!are_any) return {};
    Rewriter to(graph);
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        const Node& node = graph[old];
        if (node.is_host_scalar) return {};
        if (is_made_zero(old)) return zeros(to, node.dtype, node.shape);
        if (node.kind == NodeKind::to_dense && is_nowhere(graph[node.operands[0]]) &&
            graph[node.operands[1]].shape.empty())
            return repeated(to, to.copy(node.operands[1]), node.dtype, node.shape);
        if (!is_nowhere(node)) return {};
        const NodeId mask = to.copy(node.mask), values = zeros(to, node.dtype, node.shape);
        return to.add({.kind = NodeKind::on,
                       .dtype = node.dtype,
                       .operands = {values, mask},
                       .mask = mask,
                       .shape = node.shape});
    };
    to.copy_all();
    Graph made = to.finish();
    return made == graph ? std::nullopt : std::optional(std::move(made));
}

}  // namespace frisket::ir
