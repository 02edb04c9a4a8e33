// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "lower_expression.hpp"

#include "device_functions.hpp"
#include "device_schedule.hpp"
#include "expression_lowerer.hpp"
#include "guarded_memory.hpp"
#include "lanes.hpp"
#include "prefetch.hpp"

namespace frisket::codegen {

using Halide::Expr;

namespace {

/// The values of a result and, if it is computed, its mask, from one loop.
Halide::Func output(ExpressionLowerer& lowerer, const Graph& graph, NodeId id, bool writes_mask) {
    const Node& node = graph[id];
    const IndexTuple place = ExpressionLowerer::pure(node.shape);
    const auto variables = ExpressionLowerer::variables(node.shape);
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

/// Tells Halide that a result starts at 0 and has the extents of its node, as indices then need no others; of
/// its mask Halide knows the same.
void set_bounds(ExpressionLowerer& lowerer, const Halide::Func& result, NodeId id, const Shape& shape) {
    const int rank = static_cast<int>(shape.size());
    Halide::OutputImageParam values = result.output_buffers()[0];
    for (int dim = 0; dim < rank; ++dim) values.dim(dim).set_bounds(0, lowerer.extent(id, rank - 1 - dim));
}

}  // namespace

Nest make_nest(const Graph& graph, const ir::ScalarProgram& numbers, const Specialization& form,
               const Halide::Target& machine) {
    const bool on_device = machine.has_gpu_feature();
    ExpressionLowerer lowerer(graph, numbers, form, on_device);
    Nest nest;
    std::vector<Halide::Func> outputs;
    for (const NodeId id : graph.results) {
        outputs.push_back(output(lowerer, graph, id, writes_mask(graph, id)));
        set_bounds(lowerer, outputs.back(), id, graph[id].shape);
        lowerer.schedule_result(outputs.back(), id);
    }
    for (const Check& check : graph.checks) outputs.push_back(output(lowerer, graph, check.bad, false));
    nest.pipeline = Halide::Pipeline(outputs);
    nest.notes.sizes = lowerer.sizes();
    const kernel::LoopAbi abi = abi_of(graph, numbers, form, nest.notes.sizes);
    nest.arguments = lowerer.arguments(abi);
    nest.notes.stored = lowerer.stored_nodes();
    nest.notes.kinds = lowerer.kinds();
    if (on_device) {
        schedule_for_device(outputs);
        use_device_functions(nest.pipeline, machine);
        leave_out_tests(nest.pipeline);
        nest.kernels = count_kernels(nest.pipeline);
        return nest;
    }
    guard_memory(nest.pipeline);
    shuffle_lanes(nest.pipeline);
    store_lanes_whole(nest.pipeline);
    prefetch_arguments(nest.pipeline, lowerer.prefetching());
    nest.memory = find_memory(nest.pipeline, nest.arguments, abi);
    return nest;
}

}  // namespace frisket::codegen
