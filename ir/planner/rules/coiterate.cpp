// SPDX-License-Identifier: MIT
#include "coiterate.hpp"

#include "../../interpreter/body.hpp"
#include "../../interpreter/tensor_kernels_walk.hpp"
#include "../sparse_call.hpp"
#include "../stage_text.hpp"
#include "sparse_prologue.hpp"

#include <algorithm>
#include <utility>

namespace frisket {

namespace {

/// Whether results, checks and what they are made from can be had at the places alone; if `is_alike`, so that
/// masked results are specified where the arguments are.
bool is_enough(const Graph& graph, const IterationSpaceAnalysis& nodes, bool is_alike) {
    const auto is_good = [&](NodeId id) {
        const NodeId mask = graph[id].mask;
        if (!nodes.works(id) || (mask != no_node && !nodes.works(mask))) return false;
        if (!nodes.is_listed(id)) return true;
        return mask != no_node && (is_alike ? nodes.is_its_mask(mask) : nodes.is_nothing_outside(mask));
    };
    return std::ranges::all_of(graph.results, is_good) &&
           std::ranges::all_of(graph.checks, [&](const Check& check) { return nodes.works(check.bad); });
}

/// The index in the whole of an element at the places.
Shape index_in(const IterationSpace& space, std::span<const std::int64_t> positions, const Shape& index) {
    if (space.by_rows) {
        Shape whole = index;
        whole[0] = positions[static_cast<std::size_t>(index[0])];
        return whole;
    }
    Shape whole(space.shape.size());
    std::int64_t rest = positions[static_cast<std::size_t>(index.back())];
    for (std::size_t d = whole.size(); d-- > 0; rest /= space.shape[d]) whole[d] = rest % space.shape[d];
    return whole;
}

/// Says what is wrong with the first of the graph's checks that fails, and where in the whole.
void report(const Graph& graph, const IterationSpaceAnalysis& nodes, const CoordinateSet& places,
            std::span<const Argument> arguments) {
    for (const Check& check : graph.checks) {
        Graph made = graph;
        made.checks.clear();
        made.results = {check.bad, check.elements};
        const SparseCall call = sparse_call(std::move(made), nodes, places, arguments);
        const std::vector<Result> found = evaluate_body(call.graph, call.arguments);
        if (!tensor_kernels::element<bool>(found[0].values, 0)) continue;
        Shape first;
        tensor_kernels::walk_index(found[1].values.shape(), [&](const Shape& index) {
            const auto offset = tensor_kernels::offset_of(index, found[1].values.strides());
            if (!tensor_kernels::element<bool>(found[1].values, offset)) return;
            const Shape here =
                nodes.is_listed(check.elements) ? index_in(places.space(), places.positions(), index) : index;
            if (first.empty() || here < first) first = here;
        });
        raise_check(graph, check, first);
    }
}

std::optional<std::vector<Result>> run_at(const Graph& graph, std::span<const Argument> arguments,
                                          const Executor& executor, std::optional<IterationSpace> space,
                                          bool is_alike) {
    if (!space) return {};
    const IterationSpaceAnalysis nodes(graph, *space);
    if (!is_enough(graph, nodes, is_alike)) return {};
    const CoordinateSet places = is_alike ? CoordinateSet::same_pattern(*space, arguments)
                                          : CoordinateSet::union_of(*space, arguments);
    const SparseCall call = sparse_call(graph, nodes, places, arguments);
    std::vector<Result> results;
    try {
        results =
            executor
                .within([&] {
                    return stage_at(graph, nodes, places, is_alike ? Rule::same_pattern : Rule::union_of);
                })
                .run(call.graph, call.arguments);
    } catch (const Error&) {
        report(graph, nodes, places, arguments);
        throw;
    }
    for (std::size_t i = 0; i < results.size(); ++i)
        if (const NodeId id = graph.results[i]; nodes.is_listed(id))
            results[i] = places.placed(std::move(results[i]), graph[id].shape);
    return results;
}

}  // namespace

std::optional<std::vector<Result>> coiterate(const Graph& graph, std::span<const Argument> arguments,
                                             const Executor& executor) {
    if (auto results = run_at(graph, arguments, executor, space_of_same_pattern(graph, arguments), true))
        return results;
    const auto together = space_of_union(graph, arguments);
    if (auto results = run_at(graph, arguments, executor, together, false)) return results;
    return together ? run_sparse_prologue(graph, arguments, *together, executor) : std::nullopt;
}

}  // namespace frisket
