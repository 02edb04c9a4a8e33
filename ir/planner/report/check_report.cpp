// SPDX-License-Identifier: MIT
#include "check_report.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "../../interpreter/body.hpp"
#include "../../interpreter/tensor_kernels_walk.hpp"
#include "../body_stage.hpp"
#include "../plan_values.hpp"
#include "../planner.hpp"

namespace frisket::planning {

namespace {

/// The index in the whole of an element at the coordinates.
Shape index_in(const IterationSpace& space, std::span<const std::int64_t> positions, const Shape& index) {
    if (space.by_rows) {
        Shape whole = index;
        whole[0] = positions[static_cast<std::size_t>(index[0])];
        return whole;
    }
    return unravel(positions[static_cast<std::size_t>(index.back())], space.shape);
}

/// `graph` with a check in place of its results: whether an element is bad, the bad elements, and their
/// values, if the sentence names values, 0 for all other elements.
Graph results_of(const Graph& graph, const Check& check) {
    ir::Rewriter to(graph);
    to.graph().checks.clear();
    to.graph().equal_masks.clear();
    const NodeId elements = to.copy(check.elements);
    to.graph().results = {to.copy(check.bad), elements};
    if (check.value != no_node) {
        const NodeId bare = to.add({.kind = NodeKind::cast,
                                    .dtype = DType::int64,
                                    .operands = {to.copy(check.value)},
                                    .shape = graph[check.value].shape});
        const NodeId named = to.apply<op::Where>({elements, bare, to.constant(std::int64_t{0})});
        to.graph().results.push_back(named);
    }
    to.graph().updates.clear();
    return to.finish();
}

/// The results of a graph at the coordinates.
std::vector<Result> results_at(const Graph& graph, const IterationSpaceAnalysis& nodes,
                               const list_kernels::CoordinateSet& places,
                               std::span<const Argument> arguments) {
    const BodyStage body = body_at(graph, nodes, no_value, argument_values(graph.symbols.size()));
    const Graph made = with_extent(body.graph, places.count());
    return ir::evaluate_body(made, PlanValues(arguments).operands(made, body.operands, &places));
}

template <class T>
T element_at(const AnyTensor& tensor, const Shape& index) {
    return tensor_kernels::element<T>(tensor, tensor_kernels::offset_of(index, tensor.strides()));
}

}  // namespace

void report_checks_at(const Graph& graph, const list_kernels::CoordinateSet& places,
                      std::span<const Argument> arguments) {
    for (const Check& check : graph.checks) {
        const Graph wanted = results_of(graph, check);
        const IterationSpaceAnalysis nodes(wanted, places.space());
        const std::vector<Result> found = results_at(wanted, nodes, places, arguments);
        if (!element_at<bool>(found[0].values, {})) continue;
        const AnyTensor& elements = found[1].values;
        const bool is_listed = nodes.is_listed(wanted.results[1]);
        const std::vector<std::int64_t> positions =
            is_listed ? places.positions() : std::vector<std::int64_t>();
        Shape first;
        std::int64_t value = 0;
        tensor_kernels::walk_index(elements.shape(), [&](const Shape& index) {
            if (!element_at<bool>(elements, index)) return;
            const Shape here = is_listed ? index_in(places.space(), positions, index) : index;
            if (!first.empty() && first <= here) return;
            first = here;
            if (check.value != no_node) value = element_at<std::int64_t>(found[2].values, index);
        });
        raise_check(graph, check, first, value);
    }
}

}  // namespace frisket::planning
