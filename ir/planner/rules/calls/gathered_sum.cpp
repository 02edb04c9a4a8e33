// SPDX-License-Identifier: MIT
#include "../../planner.hpp"

#include "../../../../runtime/limits.hpp"
#include "../../../at.hpp"
#include "../../dense_operand.hpp"
#include "../../residual_graph.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace frisket::planning {

using ir::at;

const RuleInfo rules::gathered_sum{
    .name = "gathered_sum",
    .legal = "rows of a dense tensor are read at indices, as bags of an embedding are, and nothing but their "
             "sum is made of them",
    .pros = "rows are fetched before they are added, by a kernel for vectors of whole rows",
    .cons = "the sums are stored",
};

namespace {

bool is_float(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

/// True if a tensor of indices is the same for all elements of a row.
bool is_for_rows(const Shape& indices, const Shape& gathered, std::size_t leading) {
    const std::size_t row_dims = gathered.size() - leading;
    return std::all_of(indices.end() - static_cast<std::ptrdiff_t>(std::min(row_dims, indices.size())),
                       indices.end(), [](std::int64_t extent) { return extent == 1; });
}

/// The stage for a node that sums whole rows of an argument; nothing if it does not, or of few elements.
std::optional<GatheredSumStage> gathered_sum(const Graph& graph, const Node& node) {
    const bool is_sum = node.kind == NodeKind::reduce && node.reduction == Reduction::sum &&
                        is_float(node.dtype) && node.mask == no_node && node.operands[1] == no_node;
    if (!is_sum) return {};
    const Node& gathered = graph[node.operands[0]];
    if (gathered.kind != NodeKind::gather || gathered.mask != no_node || gathered.operands.size() != 2 ||
        element_count(gathered.shape) < limits::gathered_sum_elements)
        return {};
    const Node& table = graph[gathered.operands[0]];
    const std::size_t rank = table.shape.size(), leading = gathered.shape.size() + 1 - rank;
    if (table.kind != NodeKind::symbol || table.is_host_scalar || table.mask != no_node ||
        !is_float(table.dtype) || gathered.attributes[0] != -1 || gathered.shape.size() + 1 < rank)
        return {};
    for (std::size_t d = 1; d < rank; ++d)
        if (gathered.attributes[d] != static_cast<std::int64_t>(leading + d - 1)) return {};
    // Reduced are the last dimensions of the indices.
    const std::span<const std::int64_t> dims = node.attributes;
    for (std::size_t i = 0; i < dims.size(); ++i)
        if (dims[i] != static_cast<std::int64_t>(leading - dims.size() + i)) return {};
    if (dims.size() > leading || !is_for_rows(graph[gathered.operands[1]].shape, gathered.shape, leading))
        return {};
    GatheredSumStage stage;
    stage.shape = node.shape;
    stage.dtype = node.dtype;
    stage.space.assign(gathered.shape.begin(), gathered.shape.begin() + static_cast<std::ptrdiff_t>(leading));
    for (const std::int64_t dim : dims) stage.length *= gathered.shape[at(dim)];
    return stage;
}

/// An expression as int64.
ValueId indices_of(PlanBuilder& to, const PlanRequest& request, NodeId id) {
    if (request.graph[id].result_dtype() == DType::int64) return add_dense_operand(to, request, id);
    Graph graph = request.graph;
    graph.nodes.push_back(
        {.kind = NodeKind::cast, .dtype = DType::int64, .operands = {id}, .shape = graph[id].shape});
    return add_dense_body(to, graph, static_cast<NodeId>(graph.nodes.size()) - 1, request.operands);
}

/// The plan of an expression that sums rows which it reads at indices.
/// Cost: linear in the graph.
std::optional<Plan> plan_gathered_sum(const PlanRequest& request) {
    const Graph& graph = request.graph;
    if (std::ranges::none_of(graph.nodes,
                             [&](const Node& node) { return gathered_sum(graph, node).has_value(); }))
        return {};
    PlanBuilder to(request);
    ResidualGraph rest(graph, request.operands);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        auto stage = gathered_sum(graph, graph[id]);
        if (!stage) {
            rest.keep();
            continue;
        }
        const Node& gathered = graph[graph[id].operands[0]];
        stage->table = request.operands[at(graph[gathered.operands[0]].symbol)];
        stage->indices = indices_of(to, request, gathered.operands[1]);
        stage->made = to.new_value();
        rest.take_dense(stage->made, graph[id].dtype);
        to.add(rules::gathered_sum, *std::move(stage), id, rest.last_name());
    }
    rest.finish(to.plan());
    return to.finish();
}

}  // namespace

PlanRule gathered_sum_plan_rule() {
    return {
        .order = 9, .plan = plan_gathered_sum, .rules = {&rules::gathered_sum}, .kinds = {NodeKind::gather}};
}

}  // namespace frisket::planning
