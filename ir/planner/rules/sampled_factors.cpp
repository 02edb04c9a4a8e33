// SPDX-License-Identifier: MIT
#include "sampled_factors.hpp"

#include "../../../runtime/limits.hpp"
#include "../../at.hpp"
#include "../../rewrite.hpp"
#include "../demands.hpp"
#include "../list_analysis.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

/// True if the extents of a matrix, but for 1, are those that terms see: a reshape of other extents has no
/// transposition as a view.  `first`: the term's dimension that its rows are.
bool has_lengths(const Graph& graph, const SeenMatrix& matrix, const ProductMatrices& product,
                 std::size_t first) {
    Shape own = graph[matrix.id].shape, lengths{product.terms[first], product.terms[first + 1]};
    if (matrix.is_transposed) std::swap(lengths[0], lengths[1]);
    std::erase(own, 1);
    std::erase(lengths, 1);
    const auto batches = std::span(own).first(own.size() - std::min(own.size(), lengths.size()));
    return std::ranges::equal(std::span(own).last(own.size() - batches.size()), lengths) &&
           element_count(batches) == (matrix.is_batched ? product.batches : 1);
}

}  // namespace

SampledFactors sampled_factors(const PlanRequest& request) {
    const Graph& graph = request.graph;
    SampledFactors found;
    if (std::ranges::none_of(graph.nodes, [](const Node& node) { return frisket::is_product(node); }))
        return found;
    std::vector<int> matrices_of_lists = listed_matrices(request);
    if (matrices_of_lists.empty()) return found;
    const Demands demands(graph, std::move(matrices_of_lists));
    const std::vector<bool>& may_be = may_be_whole(request);
    const auto is_tensor = [&](const SeenMatrix& seen) {
        return may_be[at(seen.of_terms)] || (request.makes_few_whole && graph[seen.id].mask == no_node &&
                                             made_of_few_elements(request)[at(seen.id)]);
    };
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        if (!is_product(node) || node.mask != no_node || node.operands[1] != no_node) continue;
        const NodeId mask = demands.union_of(id);
        std::vector<int> lists = demands.lists_of(id);
        if (mask == no_node && lists.empty()) continue;
        if (mask != no_node && graph[mask].shape != node.shape) continue;
        const auto has_shape = [&](int list) { return graph.symbols[at(list)].shape == node.shape; };
        if (!std::ranges::all_of(lists, has_shape)) continue;
        const auto matrices = product_matrices(graph, node);
        if (!matrices || !is_tensor(matrices->left) || !is_tensor(matrices->right)) continue;
        if (!has_lengths(graph, matrices->left, *matrices, 0) ||
            !has_lengths(graph, matrices->right, *matrices, 1))
            continue;
        if (mask != no_node) {
            found.unions.insert(mask);
            continue;
        }
        const std::int64_t most = element_count(node.shape) / limits::sampled_factor_cost / std::ssize(lists);
        const auto stores_many = [&](int list) {
            return request.facts.is({.kind = PlanTest::Kind::stores_above, .symbol = list, .limit = most});
        };
        if (std::ranges::any_of(lists, stores_many)) continue;
        if (lists.size() == 1)
            found.of_lists.emplace(id, SampledFactor{*matrices, lists.front()});
        else
            found.of_several.emplace(id, std::move(lists));
    }
    return found;
}

}  // namespace frisket::planning
