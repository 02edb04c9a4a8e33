// SPDX-License-Identifier: MIT
#include "sampled_factors.hpp"

#include "../../../runtime/limits.hpp"
#include "../../at.hpp"
#include "../../rewrite.hpp"
#include "../demands.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

std::map<NodeId, SampledFactor> sampled_factors(const PlanRequest& request) {
    const Graph& graph = request.graph;
    std::map<NodeId, SampledFactor> found;
    if (std::ranges::none_of(graph.nodes, [](const Node& node) { return frisket::is_product(node); }))
        return found;
    std::vector<int> lists = listed_matrices(request);
    if (lists.empty()) return found;
    const Demands demands(graph, std::move(lists));
    const std::vector<bool> may_be = may_be_whole(request);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        if (!is_product(node) || node.mask != no_node || node.operands[1] != no_node) continue;
        const int list = demands.list_of(id);
        const auto matrices = product_matrices(graph, node);
        if (list < 0 || !matrices || graph.symbols[at(list)].shape != node.shape) continue;
        if (!may_be[at(node.operands[0])] || !may_be[at(node.operands[2])]) continue;
        // A reshape of other extents has no transposition as a view.
        const auto has_lengths = [&](NodeId matrix, Shape lengths, bool is_transposed) {
            if (is_transposed) std::swap(lengths[0], lengths[1]);
            Shape own = graph[matrix].shape;
            std::erase(own, 1);
            std::erase(lengths, 1);
            return own == lengths;
        };
        const Shape& terms = matrices->terms;
        if (!has_lengths(matrices->left, {terms[0], terms[1]}, matrices->is_left_transposed) ||
            !has_lengths(matrices->right, {terms[1], terms[2]}, matrices->is_right_transposed))
            continue;
        const std::int64_t most = element_count(node.shape) / limits::sampled_factor_cost;
        if (request.facts.is({.kind = PlanTest::Kind::stores_above, .symbol = list, .limit = most})) continue;
        found.emplace(id, SampledFactor{*matrices, list});
    }
    return found;
}

}  // namespace frisket::planning
