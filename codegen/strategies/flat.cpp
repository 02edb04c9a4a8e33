// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "flat.hpp"

namespace frisket {

using Halide::Expr;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

namespace {

constexpr int tile = 64;

/// The vector is split first and the task last; a guard over whole tasks would make every vector a
/// guarded one.
void schedule_cpu(Halide::Func& func, const Halide::RDom& lane, const Var& word, const Schedule& schedule) {
    Var task("task");
    RVar outer("outer"), vector("vector");
    func.update()
        .allow_race_conditions()  // tiles are apart by construction
        .split(word, task, word, std::max(1, schedule.task / tile), TailStrategy::GuardWithIf)
        .split(lane, outer, vector, schedule.vector)
        .reorder(vector, outer, word, task)
        .parallel(task)
        .vectorize(vector)
        .unroll(outer);
}

/// One thread an element, one block of threads a tile.
void schedule_gpu(Halide::Func& func, const Halide::RDom& lane, const std::vector<Var>& pure) {
    func.gpu_blocks(pure[1]).gpu_threads(pure[0]);
    func.update().allow_race_conditions().gpu_blocks(pure[1]).gpu_threads(lane);
}

}  // namespace

LoopNest make_flat(const LoopTask& task, FlatMask mask) {
    const Var element("element"), word("word");
    LoopBody body(task, {.flat = true, .rank = 2, .masks = mask != FlatMask::none}, {element, word});
    const Expr count = body.count;
    // Devices take tiles that are whole, or one that is cut (device.cpp): no guard, and nothing past the end.
    Halide::RDom lane(0, task.target.gpu ? body.output_extent(0) : Expr(tile), "lane");
    // A guard on the loop does not cover loads inside the condition: their index is kept inside here.
    const Expr inside = Halide::min(word, (count - 1) / tile);
    LoopBody::Place place{.at = {lane, word}, .in_list = {}, .word = inside, .bit = lane};
    if (mask == FlatMask::skip) lane.where(body.domain_word(inside) != Halide::cast<std::uint64_t>(0));
    // `likely` keeps the loads of whole tiles free of predicates.
    if (!task.target.gpu) lane.where(Halide::likely(lane < count - tile * word));
    place.at[0] = place.bit = lane;
    place.inside_domain = task.signature.domain >= 0;
    const bool one_mask = mask != FlatMask::none && task.signature.domain >= 0;
    body.define(place, one_mask ? body.specified(task.signature.domain, place).expr : Expr());
    if (task.target.gpu)
        schedule_gpu(body.func, lane, {element, word});
    else
        schedule_cpu(body.func, lane, word, task.schedule);
    return body.finish();
}

}  // namespace frisket
