// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "flat.hpp"

namespace frisket::codegen {

using Halide::Expr;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

namespace {

constexpr int word_bits = 64;

/// The vector is split first and the task last; a guard over whole tasks would make every vector a
/// guarded one.
void schedule_cpu(Halide::Func& func, const Halide::RDom& at, const Schedule& schedule) {
    RVar task("task"), group("group"), outer("outer"), vector("vector");
    auto update = func.update();
    update.split(at.z, task, group, std::max(1, schedule.grain / schedule.tile), TailStrategy::GuardWithIf)
        .split(at.x, outer, vector, schedule.vector)
        .reorder(vector, outer, at.y, group, task)
        .parallel(task)
        .vectorize(vector)
        .unroll(outer, schedule.unroll);
}

/// Promises that tiles are contiguous: on a device vectors are loaded and stored as such then, where the
/// buffer begins at an aligned address.
template <class Buffer>
void promise_tiles(Buffer&& buffer, bool has_own_extents = true) {
    if (has_own_extents)
        for (int dimension = 0; dimension < buffer.dimensions(); ++dimension)
            buffer.dim(dimension).set_min(0);
    if (buffer.dimensions() == 3) buffer.dim(1).set_stride(word_bits);
}

/// One thread an element, or a vector; some tiles a block of threads.
void schedule_gpu(KernelBuilder& body, const Halide::RDom& at, const std::vector<Var>& pure,
                  const Schedule& schedule) {
    body.func.gpu_blocks(pure[1]).gpu_threads(pure[0]);
    RVar block("block"), tile("tile"), thread("thread"), vector("vector");
    Expr is_aligned = Halide::Internal::const_true();
    const auto promise = [&](auto buffer, bool has_own_extents) {
        promise_tiles(buffer, has_own_extents);
        is_aligned = is_aligned && buffer.dim(buffer.dimensions() - 1).stride() == 0;
    };
    // Outputs have the extents of the first.
    auto outputs = body.func.output_buffers();
    for (std::size_t i = 0; i < outputs.size(); ++i) promise(outputs[i], i == 0);
    for (const auto& input : body.dense_inputs()) promise(input, true);
    for (const auto& input : body.masked_inputs()) promise(input, true);
    auto update = body.func.update();
    update.split(at.z, block, tile, schedule.block / word_bits, TailStrategy::GuardWithIf)
        .reorder(at.y, at.x, tile, block);
    if (schedule.vector > 1)
        // A tile that is cut is processed separately, and has no whole vectors: devices have no guarded
        // vectors.  Tensors that begin inside of a block are not aligned.
        update.specialize(is_aligned && body.output_extent(0) == word_bits)
            .split(at.x, thread, vector, schedule.vector)
            .reorder(vector, at.y, thread, tile, block)
            .vectorize(vector)
            .gpu_blocks(block)
            .gpu_threads(thread, tile);
    update.gpu_blocks(block).gpu_threads(at.x, tile);
}

/// True if any of `words` words of the mask has a bit set.
Expr any_word(const KernelBuilder& body, const Expr& group, int words, const Expr& last) {
    Expr any = body.domain_word(Halide::min(group * words, last));
    for (int i = 1; i < words; ++i) any = any | body.domain_word(Halide::min(group * words + i, last));
    return any != Halide::cast<std::uint64_t>(0);
}

}  // namespace

/// True if a tile of bytes has one that is set.  They are seen eight at a time; the last tile may end within
/// eight, and is taken to have one.
Expr any_byte(const KernelBuilder& body, const Expr& tile, int words, const Expr& count) {
    const int eights = words * word_bits / 8;
    const Expr first = Halide::max(Halide::min(tile * eights, count / 8 - eights), 0);
    Expr any = body.list_at(first);
    for (int i = 1; i < eights; ++i) any = any | body.list_at(first + i);
    return any != Halide::cast<std::uint64_t>(0) || (tile + 1) * (words * word_bits) > count;
}

// at.x: the element in a word, at.y: the word in a tile, at.z: the tile.
BuiltLoops make_flat(const LoopRequest& request, const Halide::Target& machine) {
    const Var element("element"), word_of_all("word");
    KernelBuilder body(request, machine, {element, word_of_all});
    const Strategy strategy = body.schedule.strategy;
    const Expr count = body.count;
    const int words = body.on_device ? 1 : body.schedule.tile / word_bits;
    // Devices take tiles that are whole, or one that is cut (runtime/iterate/device.cpp): no guard, and
    // nothing past the end.
    const Expr lanes = body.on_device ? body.output_extent(0) : Expr(word_bits);
    const Expr tiles = (count + words * word_bits - 1) / (words * word_bits);
    Halide::RDom at(0, lanes, 0, words, 0, tiles, "at");
    const Expr word = at.z * words + at.y;
    // A guard on the loop does not cover loads inside the condition: their index is clamped here.
    const Expr last = (count - 1) / word_bits;
    if (strategy == Strategy::skip || strategy == Strategy::predicate)
        at.where(any_word(body, at.z, words, last));
    if (strategy == Strategy::bytes) at.where(any_byte(body, at.z, words, count));
    // `likely` keeps the loads of whole tiles free of predicates.
    if (!body.on_device) at.where(Halide::likely(at.x < count - word_bits * word));
    const KernelBuilder::IndexTuple place{.at = {at.x, word},
                                          .in_list = {},
                                          .word = Halide::min(word, last),
                                          .bit = at.x,
                                          .inside_domain = body.signature.domain >= 0};
    Expr condition;
    if (strategy != Strategy::dense && body.signature.domain >= 0)
        condition = body.specified(body.signature.domain, place).expr;
    if (strategy == Strategy::predicate) at.where(condition);
    body.define(place, strategy == Strategy::predicate ? Expr() : condition);
    body.func.update().allow_race_conditions();  // tiles are apart by construction
    if (body.on_device)
        schedule_gpu(body, at, {element, word_of_all}, body.schedule);
    else
        schedule_cpu(body.func, at, body.schedule);
    return body.finish();
}

}  // namespace frisket::codegen
