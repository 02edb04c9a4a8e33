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
    Halide::Func func("result");
    const bool has_mask = has_masks && writes_mask(graph, ids[0]);
    if (ids.size() == 1 && lowerer.is_result_joined(ids[0], has_mask)) {
        std::vector<ExpressionLowerer::Joined> joined{{ids[0], graph[ids[0]].result_dtype()}};
        if (has_mask) joined.push_back({graph[ids[0]].mask, DType::boolean});
        lowerer.join(func, joined);
        return func;
    }
    std::vector<Expr> values;
    for (const NodeId id : ids) {
        const DType dtype = graph[id].result_dtype();
        values.push_back(lowering::to_memory(lowerer.read(id, compute_dtype(dtype), place), dtype));
        if (has_masks && writes_mask(graph, id))
            values.push_back(lowering::to_memory(lowerer.mask(id, place), DType::boolean));
    }
    if (values.size() == 1)
        func(variables) = values[0];
    else
        func(variables) = Halide::Tuple(values);
    return func;
}

/// Tells Halide that a result starts at 0 and has the extents of its node, as indices then need only these;
/// its mask has the same bounds.
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

BuiltLoops lower_expression(const LoopRequest& request, const Halide::Target& machine) {
    const Graph& graph = request.graph;
    const bool on_device = machine.has_gpu_feature();
    ExpressionLowerer lowerer(request, on_device);
    std::vector<Halide::Func> outputs;
    for (std::span<const NodeId> rest = graph.results; !rest.empty();) {
        const std::span<const NodeId> ids = of_one_loop(lowerer, graph, rest, on_device);
        rest = rest.subspan(ids.size());
        outputs.push_back(output(lowerer, graph, ids));
        set_bounds(lowerer, outputs.back(), ids[0], graph[ids[0]].shape);
        lowerer.schedule_result(outputs.back(), ids[0]);
    }
    for (const Check& check : graph.checks) outputs.push_back(output(lowerer, graph, {&check.bad, 1}, false));
    const kernel_calls::LoopAbi abi = abi_of(graph, request.numbers, request.form, lowerer.sizes());
    BuiltLoops loops{Halide::Pipeline(outputs), lowerer.arguments(abi)};
    loops.notes =
        KernelMetadata{.sizes = lowerer.sizes(), .stored = lowerer.stored_nodes(), .kinds = lowerer.kinds()}
            .numbers();
    if (on_device) {
        schedule_for_device(outputs);
        use_device_functions(loops.pipeline, machine);
        keep_own_sums(loops.pipeline);
        leave_out_tests(loops.pipeline);
        loops.kernels = count_kernels(loops.pipeline);
        return loops;
    }
    guard_memory(loops.pipeline);
    shuffle_lanes(loops.pipeline);
    store_lanes_whole(loops.pipeline);
    prefetch_arguments(loops.pipeline, lowerer.prefetching());
    loops.found = find_memory(loops.pipeline, loops.arguments, abi);
    return loops;
}

}  // namespace frisket::codegen
