// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "strategies.hpp"

namespace frisket::codegen {

using Halide::Expr;
using Halide::RVar;
using Halide::TailStrategy;

/// segments: a sorted list of segments is walked, each of which is specified whole and stepped as dense.
///
/// Legal when: all updates have one mask, and all tensors are contiguous.  Only if a schedule asks for it.
/// Pros: moves only specified elements, in vectors without a mask: for masks of whole rows, or of
///       parts of rows that are longer than some vectors.
/// Cons: a list entry for each run of specified elements, however short; the list has to be made first.
/// Knobs: vector, unroll, grain.
BuiltLoops make_segments(const LoopRequest& request, const Halide::Target& machine) {
    const Halide::Var element("element");
    KernelBuilder body(request, machine, {element});
    Halide::RDom in(0, segment_length, 0, body.list_extent() / 2, "in");
    // `likely` keeps the vectors that are whole free of predicates.
    in.where(Halide::likely(in.x < body.list_at(2 * in.y + 1)));
    const Expr position =
        Halide::unsafe_promise_clamped(body.list_at(2 * in.y) + in.x, 0, body.output_extent(0) - 1);
    body.define({.at = {position},
                 .in_list = {},
                 .word = position / 64,
                 .bit = position % 64,
                 .inside_domain = true});
    auto update = body.func.update();
    update.allow_race_conditions();  // segments are apart
    RVar parallel("task"), entry("entry"), outer("outer"), vector("vector");
    update.split(in.y, parallel, entry, std::max(1, body.schedule.grain / segment_length))
        .split(in.x, outer, vector, body.schedule.vector)
        .reorder(vector, outer, entry, parallel)
        .parallel(parallel)
        .vectorize(vector);
    if (body.schedule.unroll > 1) update.unroll(outer, body.schedule.unroll);
    return body.finish();
}

}  // namespace frisket::codegen
