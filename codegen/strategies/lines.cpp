// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "strategies.hpp"

namespace frisket::codegen {

using Halide::Expr;
using Halide::RVar;

/// lines: a sorted list of lines of 16 elements is walked; each is loaded, blended by its 16 bits and stored.
///
/// Legal when: all updates have one mask, and all tensors are contiguous.
/// Pros: moves the cache lines of specified elements and nothing else, a vector at a time: faster than gather
///       from about one element a line on, and than skip where blocks are narrower than a word.
/// Cons: where most lines have a specified element the list is waste.  It has to be computed from the mask
/// first.
/// Knobs: vector, unroll, grain.
BuiltLoops make_lines(const LoopRequest& request, const Halide::Target& machine) {
    const Halide::Var element("element"), line("line");
    KernelBuilder body(request, machine, {element, line});
    const Halide::RDom lane(0, line_elements, 0, body.list_extent(), "lane");
    const Expr at = Halide::unsafe_promise_clamped(body.list_at(lane.y), 0, body.output_extent(1) - 1);
    constexpr int lines_in_word = 64 / line_elements;
    const KernelBuilder::IndexTuple place{.at = {lane.x, at},
                                          .in_list = {},
                                          .word = at / lines_in_word,
                                          .bit = at % lines_in_word * line_elements + lane.x,
                                          .inside_domain = true};
    body.define(place, body.specified(body.signature.domain, place).expr);
    auto update = body.func.update();
    update.allow_race_conditions();  // lines occur once
    RVar parallel("task"), entry("entry"), outer("outer"), vector("vector");
    update.split(lane.y, parallel, entry, std::max(1, body.schedule.grain / line_elements))
        .split(lane.x, outer, vector, std::min(line_elements, body.schedule.vector))
        .reorder(vector, outer, entry, parallel)
        .parallel(parallel)
        .vectorize(vector)
        .unroll(outer);
    if (body.schedule.unroll > 1) update.unroll(entry, body.schedule.unroll);
    return body.finish();
}

}  // namespace frisket::codegen
