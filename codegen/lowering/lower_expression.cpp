// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "lower_expression.hpp"

#include "../device/device_functions.hpp"
#include "../device/device_schedule.hpp"
#include "../device/device_tiles.hpp"
#include "expression_lowerer.hpp"
#include "guarded_memory.hpp"
#include "lanes.hpp"
#include "prefetch.hpp"

#include <span>
#include <vector>

namespace frisket::codegen {

using Halide::Expr;

namespace {

/// The values of results of one shape and, of those where it is computed, their masks, from one loop.
Halide::Func output(ExpressionLowerer& lowerer, const Graph& graph, std::span<const NodeId> ids,
                    bool has_masks = true) {
    const Shape& shape = graph[ids[0]].shape;
    const IndexTuple place = ExpressionLowerer::pure(shape);
    const auto variables = ExpressionLowerer::variables(shape);
    std::vector<Expr> values;
    for (const NodeId id : ids) {
        const DType dtype = graph[id].result_dtype();
        values.push_back(lowering::to_memory(lowerer.read(id, compute_dtype(dtype), place), dtype));
        if (has_masks && writes_mask(graph, id))
            values.push_back(lowering::to_memory(lowerer.mask(id, place), DType::boolean));
    }
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

/// True if two results have equal extents in every call.
bool are_of_one_shape(ExpressionLowerer& lowerer, const Graph& graph, NodeId a, NodeId b) {
    const std::size_t rank = graph[a].shape.size();
    if (graph[b].shape.size() != rank) return false;
    for (int dim = 0; dim < static_cast<int>(rank); ++dim)
        if (!Halide::Internal::equal(lowerer.extent(a, dim), lowerer.extent(b, dim))) return false;
    return true;
}

/// The first of these results that one loop writes: on a device all that are of one shape, as each loop is a
/// kernel.
std::span<const NodeId> of_one_loop(ExpressionLowerer& lowerer, const Graph& graph,
                                    std::span<const NodeId> results, bool on_device) {
    std::size_t count = 1;
    while (on_device && count < results.size() &&
           are_of_one_shape(lowerer, graph, results[0], results[count]))
        ++count;
    return results.first(count);
}

}  // namespace

ExpressionLoop lower_expression(const Graph& graph, const ir::ScalarProgram& numbers,
                                const Specialization& form, const Halide::Target& machine) {
    const bool on_device = machine.has_gpu_feature();
    ExpressionLowerer lowerer(graph, numbers, form, on_device);
    ExpressionLoop loop;
    std::vector<Halide::Func> outputs;
    for (std::span<const NodeId> rest = graph.results; !rest.empty();) {
        const std::span<const NodeId> ids = of_one_loop(lowerer, graph, rest, on_device);
        rest = rest.subspan(ids.size());
        outputs.push_back(output(lowerer, graph, ids));
        set_bounds(lowerer, outputs.back(), ids[0], graph[ids[0]].shape);
        lowerer.schedule_result(outputs.back(), ids[0]);
    }
    for (const Check& check : graph.checks) outputs.push_back(output(lowerer, graph, {&check.bad, 1}, false));
    loop.pipeline = Halide::Pipeline(outputs);
    loop.notes.sizes = lowerer.sizes();
    const kernel_calls::LoopAbi abi = abi_of(graph, numbers, form, loop.notes.sizes);
    loop.arguments = lowerer.arguments(abi);
    loop.notes.stored = lowerer.stored_nodes();
    loop.notes.kinds = lowerer.kinds();
    if (on_device) {
        schedule_for_device(outputs);
        use_device_functions(loop.pipeline, machine);
        keep_own_sums(loop.pipeline);
        leave_out_tests(loop.pipeline);
        loop.kernels = count_kernels(loop.pipeline);
        return loop;
    }
    guard_memory(loop.pipeline);
    shuffle_lanes(loop.pipeline);
    store_lanes_whole(loop.pipeline);
    prefetch_arguments(loop.pipeline, lowerer.prefetching());
    loop.memory = find_memory(loop.pipeline, loop.arguments, abi);
    return loop;
}

}  // namespace frisket::codegen
