// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../runtime/support/made_once.hpp"
#include "strided.hpp"

namespace frisket::codegen {

using Halide::Expr;
using Halide::TailStrategy;
using Halide::Var;

namespace {

/// Lets a dimension have any stride; true for stride 1.
Expr free_stride(Halide::Internal::Dimension dimension) {
    dimension.set_stride(Expr());
    return dimension.stride() == 1;
}

/// The indices of the four dimensions, innermost first.
const std::vector<Var>& strided_dimensions() {
    return runtime::made_once([] { return std::vector<Var>{Var("x"), Var("y"), Var("z"), Var("w")}; });
}

/// The place of such loops, with the row-major position where they take it.
KernelBuilder::IndexTuple strided_place(const KernelBuilder& body) {
    const std::vector<Var>& at = strided_dimensions();
    KernelBuilder::IndexTuple place{.at = {at.begin(), at.end()}, .in_list = {}, .word = {}, .bit = {}};
    if (body.position_strides.empty()) return place;
    Expr position = Halide::cast<std::uint32_t>(body.first % 64);  // 32 bits: an index may use 31
    for (std::size_t i = 0; i < at.size(); ++i)
        position += Halide::cast<std::uint32_t>(at[i] * body.position_strides[i]);
    place.word = Halide::cast<int>(position / 64);
    place.bit = Halide::cast<int>(position % 64);
    return place;
}

}  // namespace

BuiltLoops make_strided_threads(const LoopRequest& request, const Halide::Target& machine) {
    const std::vector<Var>& at = strided_dimensions();
    KernelBuilder body(request, machine, at);
    body.define(strided_place(body));
    for (Halide::ImageParam input : body.masked_inputs()) free_stride(input.dim(0));
    for (Halide::ImageParam input : body.dense_inputs()) free_stride(input.dim(0));
    for (auto& output : body.func.output_buffers()) free_stride(output.dim(0));
    Var rows("rows"), all("all"), block("block"), thread("thread");
    for (auto stage : {Halide::Stage(body.func), Halide::Stage(body.func.update())})
        stage.fuse(at[2], at[3], rows)
            .fuse(at[1], rows, rows)
            .fuse(at[0], rows, all)
            .gpu_tile(all, block, thread, body.schedule.block, TailStrategy::GuardWithIf);
    return body.finish();
}

/// strided: four dimensions of any strides, a byte mask; every element is loaded and stored.
///
/// Legal when: always.
/// Pros: transposed, sliced and broadcast arguments without a copy.
/// Cons: 3.6 times slower than flat loops unless the innermost stride is 1 everywhere; dense operands that
///       are repeated along it (a scale for each row) cost little.
/// Knobs: vector, grain, tail.
BuiltLoops make_strided(const LoopRequest& request, const Halide::Target& machine) {
    if (machine.has_gpu_feature()) return make_strided_threads(request, machine);
    const std::vector<Var>& at = strided_dimensions();
    KernelBuilder body(request, machine, at);
    body.define(strided_place(body));
    Expr most_unit = Halide::Internal::const_true();
    for (Halide::ImageParam input : body.masked_inputs()) most_unit = most_unit && free_stride(input.dim(0));
    for (auto& output : body.func.output_buffers()) most_unit = most_unit && free_stride(output.dim(0));
    Expr all_unit = most_unit;
    for (Halide::ImageParam input : body.dense_inputs()) all_unit = all_unit && free_stride(input.dim(0));
    Var rows("rows"), parallel("task");
    auto update = body.func.update();
    const Expr rows_per_task = Halide::max(1, body.schedule.grain / Halide::max(1, body.output_extent(0)));
    update.fuse(at[2], at[3], rows).fuse(at[1], rows, rows);
    std::vector<Halide::Stage> stages{update.specialize(all_unit)};
    if (!body.dense_inputs().empty()) stages.push_back(update.specialize(most_unit));
    for (Halide::Stage& stage : stages)
        stage.vectorize(at[0], body.schedule.vector, halide_tail(body.schedule.tail));
    stages.push_back(update);
    for (Halide::Stage& stage : stages)
        stage.split(rows, parallel, rows, rows_per_task, TailStrategy::GuardWithIf).parallel(parallel);
    return body.finish();
}

}  // namespace frisket::codegen
