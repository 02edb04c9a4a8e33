// SPDX-License-Identifier: MIT
#include "check_report.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "../interpreter/body.hpp"
#include "../interpreter/tensor_kernels_walk.hpp"
#include "body_stage.hpp"
#include "plan_values.hpp"

namespace frisket::planning {

namespace {

/// The index in the whole of an element at the coordinates.
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

/// The values of a check at the coordinates: whether an element is bad, and which ones are.
std::vector<Result> values_of(const Graph& graph, const Check& check, const IterationSpaceAnalysis& nodes,
                              const CoordinateSet& places, std::span<const Argument> arguments) {
    Graph wanted = graph;
    wanted.checks.clear();
    wanted.results = {check.bad, check.elements};
    std::vector<ValueId> operands(graph.symbols.size());
    std::iota(operands.begin(), operands.end(), 0);
    const BodyStage body = body_at(std::move(wanted), nodes, no_value, operands);
    const Graph made = with_extent(body.graph, places.count());
    return ir::evaluate_body(made, PlanValues(arguments).operands(made, body.operands, &places));
}

}  // namespace

void report_checks_at(const Graph& graph, const CoordinateSet& places, std::span<const Argument> arguments) {
    const IterationSpaceAnalysis nodes(graph, places.space());
    for (const Check& check : graph.checks) {
        const std::vector<Result> found = values_of(graph, check, nodes, places, arguments);
        if (!tensor_kernels::element<bool>(found[0].values, 0)) continue;
        const bool is_listed = nodes.is_listed(check.elements);
        const std::vector<std::int64_t> positions =
            is_listed ? places.positions() : std::vector<std::int64_t>();
        Shape first;
        tensor_kernels::walk_index(found[1].values.shape(), [&](const Shape& index) {
            const auto offset = tensor_kernels::offset_of(index, found[1].values.strides());
            if (!tensor_kernels::element<bool>(found[1].values, offset)) return;
            const Shape here = is_listed ? index_in(places.space(), positions, index) : index;
            if (first.empty() || here < first) first = here;
        });
        raise_check(graph, check, first);
    }
}

}  // namespace frisket::planning
