// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "nest.hpp"

#include "lowerer.hpp"

namespace frisket {

using Halide::Expr;

namespace {

/// The values of a result and, if it is computed, its mask, from one loop.
Halide::Func output(NestLowerer& lowerer, const Graph& graph, NodeId id, bool writes_mask) {
    const Node& node = graph[id];
    const Place place = NestLowerer::pure(node.shape);
    const auto variables = NestLowerer::variables(node.shape);
    const DType dtype = node.result_dtype();
    std::vector<Expr> values{lowering::to_memory(lowerer.read(id, compute_dtype(dtype), place), dtype)};
    if (writes_mask) values.push_back(lowering::to_memory(lowerer.mask(id, place), DType::boolean));
    Halide::Func func("result");
    if (values.size() == 1)
        func(variables) = values[0];
    else
        func(variables) = Halide::Tuple(values);
    return func;
}

}  // namespace

bool has_mask_of_symbol(const Graph& graph, NodeId result) {
    const NodeId mask = graph[result].mask;
    return mask != no_node && graph[mask].kind == NodeKind::mask_of &&
           graph[mask].shape == graph[result].shape;
}

Nest make_nest(const Graph& graph, const HostNumbers& numbers, const NestForm& form) {
    NestLowerer lowerer(graph, numbers, form);
    Nest nest;
    std::vector<Halide::Func> outputs;
    for (const NodeId id : graph.results) {
        nest.writes_mask.push_back(graph[id].mask != no_node && !has_mask_of_symbol(graph, id));
        outputs.push_back(output(lowerer, graph, id, nest.writes_mask.back()));
        schedule_elementwise(outputs.back(), graph[id].shape, form);
    }
    for (const Check& check : graph.checks) outputs.push_back(output(lowerer, graph, check.bad, false));
    nest.pipeline = Halide::Pipeline(outputs);
    nest.arguments = lowerer.arguments();
    nest.sizes = lowerer.sizes();
    nest.in_memory.assign(lowerer.in_memory().begin(), lowerer.in_memory().end());
    return nest;
}

}  // namespace frisket
