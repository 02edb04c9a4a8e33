// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "strategies.hpp"

namespace frisket::codegen {

using Halide::Expr;
using Halide::TailStrategy;

/// rows: a sorted list of rows is walked; each is a dense vector.
///
/// Legal when: all updates have one mask of whole rows, and rows are contiguous.
/// Pros: the fastest loop there is for embedding gradients, at any density; vectors without a mask.
/// Cons: rows shorter than a vector run guarded.
/// Knobs: vector, unroll, tail.
BuiltLoops make_rows(const LoopRequest& request, const Halide::Target& machine) {
    const Halide::Var column("column"), row("row");
    KernelBuilder body(request, machine, {column, row});
    const Halide::RDom entry(0, body.list_extent(), "entry");
    const Expr at = Halide::unsafe_promise_clamped(body.list_at(entry), 0, body.output_extent(1) - 1);
    const Expr position = at * body.output_extent(0) + column;  // row-major, for bits of other masks
    body.define({.at = {column, at},
                 .in_list = {column, entry},
                 .word = position / 64,
                 .bit = position % 64,
                 .inside_domain = true});
    auto update = body.func.update();
    update.allow_race_conditions();  // rows occur once
    if (body.on_device) {
        // One dimension of blocks: CUDA takes at most 65535 along y and z.
        Halide::Var part("part"), thread("thread"), block("block");
        const Halide::RVar blocks("blocks");
        Halide::Stage nothing = body.func;
        nothing.split(column, part, thread, 64, TailStrategy::GuardWithIf)
            .reorder(thread, part, row)
            .fuse(part, row, block)
            .gpu_blocks(block)
            .gpu_threads(thread);
        update.split(column, part, thread, body.schedule.block, TailStrategy::GuardWithIf)
            .reorder(thread, part, entry)
            .fuse(part, entry, blocks)
            .gpu_blocks(blocks)
            .gpu_threads(thread);
    } else {
        // No tasks: calls walk parts of the list side by side (runtime/iterate/row_parts).
        Halide::Var vector("vector");
        update.split(column, column, vector, body.schedule.vector, halide_tail(body.schedule.tail))
            .reorder(vector, column, entry)
            .vectorize(vector);
        if (body.schedule.unroll > 1) update.unroll(column, body.schedule.unroll, TailStrategy::GuardWithIf);
    }
    return body.finish();
}

}  // namespace frisket::codegen
