// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "reduction.hpp"

#include "../device/device_schedule.hpp"
#include "../limits.hpp"
#include "lanes.hpp"

#include <algorithm>

namespace frisket::codegen {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::RVar;
using Halide::Stage;
using Halide::TailStrategy;
using Halide::Var;

Expr component(const Func& func, const std::vector<Expr>& at, int i) {
    const auto here = const_cast<Func&>(func)(at);
    return func.outputs() == 1 ? Expr(here) : here[i];
}

lowering::Value in_all_of(const RDom& over, const std::vector<Expr>& at, const lowering::Value& term,
                          const lowering::Value& identity) {
    const auto mentions = [&](const Expr& e) {
        for (int i = 0; i < over.dimensions(); ++i)
            if (Halide::Internal::expr_uses_var(e, over[i].name())) return true;
        return false;
    };
    if (mentions(term.expr) || std::ranges::any_of(at, mentions)) return term;
    return lowering::select({Expr(over[0]) >= 0}, term, identity);
}

namespace {

constexpr int chunk = limits::fold_chunk, blocks = limits::fold_blocks;
constexpr int joined_lanes = 8;  // that a tree of numbers joins, after one of vectors
constexpr int rows_at_once = limits::fold_rows, task_rows = limits::fold_task_rows;

std::vector<Expr> as_exprs(const std::vector<Var>& variables) { return {variables.begin(), variables.end()}; }

void define(Func& func, const std::vector<Expr>& at, std::vector<Expr> values) {
    if (values.size() == 1)
        func(at) = values[0];
    else
        func(at) = Halide::Tuple(values);
}

void start(Func& func, const std::vector<Var>& variables, const std::vector<Accumulation>& folds) {
    std::vector<Expr> values;
    for (const Accumulation& one : folds) values.push_back(lowering::to_memory(one.identity, one.carried));
    if (values.size() == 1)
        func(variables) = values[0];
    else
        func(variables) = Halide::Tuple(values);
}

/// func(at) = next(i, func(at)) for each fold i, over a domain.
template <class Next>
void accumulate(Func& func, const std::vector<Expr>& at, const std::vector<Accumulation>& folds,
                const std::optional<RDom>& over, Next&& next) {
    std::vector<Expr> values;
    for (std::size_t i = 0; i < folds.size(); ++i) {
        const auto total = lowering::from_memory(component(func, at, static_cast<int>(i)), folds[i].carried);
        const auto made = over && i == 0 ? in_all_of(*over, at, next(i, total), total) : next(i, total);
        values.push_back(lowering::to_memory(made, folds[i].carried));
    }
    define(func, at, std::move(values));
}

/// The index of the operand: `reduced` run over the reduced dimensions in their order, variables over the
/// rest.
IndexTuple operand_place(const ReductionLoops& loops, const std::vector<Expr>& reduced) {
    Index index;
    std::size_t kept = loops.kept.size(), next = 0;
    for (const bool is_reduced : loops.reduced)
        index.push_back(is_reduced ? reduced[next++] : Expr(loops.kept[--kept]));
    return std::make_shared<const Index>(std::move(index));
}

/// Ranges of the reduced dimensions, innermost first.
Halide::Region region_of(const ReductionLoops& loops) {
    Halide::Region region;
    for (std::size_t d = loops.reduced.size(); d-- > 0;)
        if (loops.reduced[d]) region.emplace_back(0, loops.extents[d]);
    return region;
}

std::vector<Expr> outermost_first(const RDom& over) {
    std::vector<Expr> reduced;
    for (int i = over.dimensions(); i-- > 0;) reduced.emplace_back(over[i]);
    return reduced;
}

/// All of the reduced dimensions, and a range of the innermost of them.
RDom part_of(const ReductionLoops& loops, const Expr& innermost) {
    Halide::Region region = region_of(loops);
    region[0] = Halide::Range(0, innermost);
    return RDom(region);
}

/// The index of the operand, with the innermost reduced dimension at `innermost`.
IndexTuple place_in(const ReductionLoops& loops, const RDom& over, const Expr& innermost) {
    std::vector<Expr> reduced = outermost_first(over);
    reduced.back() = innermost;
    return operand_place(loops, reduced);
}

/// Vectors of a row of the result that a task takes: more of them are read faster, as less of each page is.
Expr task_vectors(const ReductionLoops& loops, int lanes) {
    constexpr int least = limits::fold_task_vectors;
    const int most = std::max(limits::fold_task_columns / lanes, least);
    return Halide::clamp(loops.extents.back() / (limits::fold_tasks * lanes), least, most);
}

/// A strip of the result stays in cache while rows are added to it, the rows of `places` at once.
void add_rows(Func& func, const ReductionLoops& loops, const std::vector<Accumulation>& folds,
              const RDom& over, const std::vector<IndexTuple>& places) {
    const auto variables = as_exprs(loops.kept);
    std::vector<Expr> values;
    for (std::size_t i = 0; i < folds.size(); ++i) {
        const Accumulation& fold = folds[i];
        auto total = lowering::from_memory(component(func, variables, static_cast<int>(i)), fold.carried);
        for (std::size_t k = 0; k < places.size(); ++k) {
            const auto next = fold.add(total, places[k]);
            total = i == 0 && k == 0 ? in_all_of(over, variables, next, total) : next;
        }
        values.push_back(lowering::to_memory(total, fold.carried));
    }
    define(func, variables, std::move(values));
    const Var lane("lane_"), strip("strip_"), task("task_");
    // One column has no vectors: has_vectors() of expression_lowerer.hpp.
    const int lanes = Halide::Internal::is_const_one(loops.extents.back()) ? 1 : loops.lanes;
    Stage stage = func.update(func.num_update_definitions() - 1);
    stage.split(loops.kept[0], strip, lane, lanes, TailStrategy::GuardWithIf)
        .split(strip, task, strip, task_vectors(loops, lanes), TailStrategy::GuardWithIf);
    if (lanes > 1) stage.vectorize(lane);
    std::vector<Halide::VarOrRVar> order{lane, strip};
    for (int i = 0; i < over.dimensions(); ++i) order.emplace_back(over[i]);
    order.emplace_back(task);
    stage.reorder(order);
    if (loops.parallel) stage.parallel(loops.kept.size() == 1 ? task : loops.kept.back());
}

/// The last dimension stays.
Func fold_columns(const ReductionLoops& loops, const std::vector<Accumulation>& folds) {
    Func func("fold");
    start(func, loops.kept, folds);
    if (loops.kept.empty() || region_of(loops).empty()) {
        const Halide::Region region = region_of(loops);
        std::optional<RDom> over;
        if (!region.empty()) over.emplace(region);
        const IndexTuple place = operand_place(loops, over ? outermost_first(*over) : std::vector<Expr>());
        accumulate(func, as_exprs(loops.kept), folds, over,
                   [&](std::size_t i, const auto& total) { return folds[i].add(total, place); });
        return func;
    }
    const Expr extent = region_of(loops)[0].extent, done = extent / rows_at_once * rows_at_once;
    const RDom most = part_of(loops, extent / rows_at_once), rest = part_of(loops, extent - done);
    std::vector<IndexTuple> places;
    for (int k = 0; k < rows_at_once; ++k)
        places.push_back(place_in(loops, most, most[0] * rows_at_once + k));
    add_rows(func, loops, folds, most, places);
    add_rows(func, loops, folds, rest, {place_in(loops, rest, done + rest[0])});
    return func;
}

/// Elements of a row that are folded side by side.
struct LaneElements {
    RDom chunks;
    IndexTuple place;                    ///< element of `chunks` at a lane
    std::optional<RDom> rest = {};       ///< the rest of the row, fewer than a chunk
    IndexTuple place_in_rest = nullptr;  ///< element of `rest` at a lane
};

/// `count` chunks from `first` on.
LaneElements chunks_of(const ReductionLoops& loops, const Expr& first, const Expr& count, const Expr& lane) {
    const RDom chunks = part_of(loops, count);
    return {chunks, place_in(loops, chunks, first + chunks[0] * chunk + lane)};
}

/// All from `first` on.
LaneElements all_from(const ReductionLoops& loops, const Expr& first, const Expr& lane) {
    const Expr last = loops.extents.back(), count = (last - first) / chunk, done = first + count * chunk;
    LaneElements all = chunks_of(loops, first, count, lane);
    all.rest = part_of(loops, Halide::select(done < last, 1, 0));
    all.place_in_rest = place_in(loops, *all.rest, done + (*all.rest)[0] + lane);
    all.rest->where(done + lane < last);
    return all;
}

/// Folds rows in lanes, which stay in registers until they are stored in the resulting Func; its variables
/// are `variables`, the lane first.  `before`: lanes that are folded first, for each number of a block.
Func fold_lanes(const std::vector<Var>& variables, const std::vector<Accumulation>& folds,
                const LaneElements& elements, const std::optional<Func>& before = {}) {
    Func partial(whole_lanes_name), lanes(lanes_name);
    const auto at = as_exprs(variables);
    start(partial, variables, folds);
    const auto add = [&](const RDom& over, const auto& next) {
        accumulate(partial, at, folds, over, next);
        partial.update(partial.num_update_definitions() - 1).vectorize(variables[0]);
    };
    if (before) {
        const RDom over(0, blocks);
        add(over, [&](std::size_t i, const auto& total) {
            const Expr lane = component(*before, {variables[0], over[0]}, static_cast<int>(i));
            return folds[i].combine(total, lowering::from_memory(lane, folds[i].carried));
        });
    }
    add(elements.chunks,
        [&](std::size_t i, const auto& total) { return folds[i].add(total, elements.place); });
    if (elements.rest)
        add(*elements.rest,
            [&](std::size_t i, const auto& total) { return folds[i].add(total, elements.place_in_rest); });
    std::vector<Expr> values;
    for (int i = 0; i < static_cast<int>(folds.size()); ++i) values.push_back(component(partial, at, i));
    define(lanes, at, std::move(values));
    const Var all("all_"), lane("one_");
    lanes.bound(variables[0], 0, chunk).split(variables[0], all, lane, chunk).vectorize(lane);
    partial.bound(variables[0], 0, chunk).vectorize(variables[0]).compute_at(lanes, all);
    return lanes;
}

/// Lanes `first`, `first + step`, ... of a Func, whose further dimensions are `more`, one after the other in
/// a tree.
lowering::Value joined(const Func& lanes, int component_index, const Accumulation& fold, const Expr& first,
                       int step, int count, const std::vector<Expr>& more) {
    if (count == 1) {
        std::vector<Expr> at{first};
        at.insert(at.end(), more.begin(), more.end());
        return lowering::from_memory(component(lanes, at, component_index), fold.carried);
    }
    const int half = count / 2;
    return fold.combine(joined(lanes, component_index, fold, first, step, half, more),
                        joined(lanes, component_index, fold, first + half * step, step, half, more));
}

/// The lanes of each row become one value: at first those that are `joined_lanes` apart, then these.
std::pair<Func, Func> fold_tree(const Func& lanes, const std::vector<Var>& kept,
                                const std::vector<Accumulation>& folds) {
    const Var lane("lane_");
    std::vector<Var> with_lane{lane};
    with_lane.insert(with_lane.end(), kept.begin(), kept.end());
    Func halves("halves"), func("fold");
    const auto define_from = [&](Func& made, const std::vector<Expr>& at, const Func& from, const Expr& first,
                                 int step, int count) {
        std::vector<Expr> values;
        for (int i = 0; i < static_cast<int>(folds.size()); ++i) {
            const Accumulation& fold = folds[static_cast<std::size_t>(i)];
            values.push_back(
                lowering::to_memory(joined(from, i, fold, first, step, count, as_exprs(kept)), fold.carried));
        }
        define(made, at, std::move(values));
    };
    define_from(halves, as_exprs(with_lane), lanes, lane, joined_lanes, chunk / joined_lanes);
    define_from(func, as_exprs(kept), halves, 0, 1, joined_lanes);
    halves.bound(lane, 0, joined_lanes).vectorize(lane);
    return {func, halves};
}

/// The last dimension goes: its elements are folded in lanes side by side, and these at the end.
Func fold_rows(const ReductionLoops& loops, const std::vector<Accumulation>& folds) {
    const Var lane("lane_"), task("task_"), row("row_");
    std::vector<Var> with_lane{lane};
    with_lane.insert(with_lane.end(), loops.kept.begin(), loops.kept.end());
    Func lanes = fold_lanes(with_lane, folds, all_from(loops, 0, lane));
    auto [func, halves] = fold_tree(lanes, loops.kept, folds);
    if (loops.kept.empty() || loops.on_device) {
        lanes.compute_root();
        if (!loops.on_device) halves.compute_root();
        return func;
    }
    Var inner = loops.kept[0];
    if (loops.parallel && loops.kept.size() == 1) {
        func.split(loops.kept[0], task, row, task_rows, TailStrategy::GuardWithIf).parallel(task);
        inner = row;
    } else if (loops.parallel) {
        func.parallel(loops.kept.back());
    }
    lanes.compute_at(func, inner);
    halves.compute_at(func, inner);
    return func;
}

/// Everything goes, and there is much of it: blocks of it are folded by different threads.
Func fold_all(const ReductionLoops& loops, const std::vector<Accumulation>& folds) {
    const Var lane("lane_"), block("block_");
    const Expr each = loops.extents.back() / (chunk * blocks);
    Func parts = fold_lanes({lane, block}, folds, chunks_of(loops, block * each * chunk, each, lane));
    parts.bound(block, 0, blocks).parallel(block).compute_root();
    Func lanes = fold_lanes({lane}, folds, all_from(loops, each * (chunk * blocks), lane), parts);
    auto [func, halves] = fold_tree(lanes, {}, folds);
    lanes.compute_root();
    if (loops.on_device) return func;
    halves.compute_root();
    return func;
}

}  // namespace

LoopKind kind_of(const ReductionLoops& loops) {
    const bool is_along_rows = !loops.reduced.empty() && loops.reduced.back();
    if (!is_along_rows) return LoopKind::reduced_columns;
    return loops.parallel && loops.reduced.size() == 1 ? LoopKind::reduced_all : LoopKind::reduced_rows;
}

Func fold(const ReductionLoops& loops, const std::vector<Accumulation>& folds) {
    switch (kind_of(loops)) {
        case LoopKind::reduced_columns: return fold_columns(loops, folds);
        case LoopKind::reduced_all: return fold_all(loops, folds);
        default: return fold_rows(loops, folds);
    }
}

}  // namespace frisket::codegen
