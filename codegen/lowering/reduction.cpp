// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "reduction.hpp"

#include "../limits.hpp"

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
constexpr int rows_at_once = limits::fold_rows, task_rows = limits::fold_task_rows;
constexpr int task_vectors = limits::fold_task_vectors;

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
/// others.
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

/// A strip of the result stays in cache while rows are added to it, those of `places` at once.
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
        .split(strip, task, strip, task_vectors, TailStrategy::GuardWithIf);
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

/// Puts `func` together: the lanes of `partial`, whose further dimensions are `more`, then what is left of
/// the row from `done` on.
void finish(Func& func, const Func& partial, const RDom& lanes, const ReductionLoops& loops,
            const std::vector<Accumulation>& folds, const Expr& done) {
    start(func, loops.kept, folds);
    std::vector<Expr> at;
    for (int i = 0; i < lanes.dimensions(); ++i) at.emplace_back(lanes[i]);
    for (const Var& variable : loops.kept) at.emplace_back(variable);
    accumulate(func, as_exprs(loops.kept), folds, lanes, [&](std::size_t i, const auto& total) {
        const auto lane =
            lowering::from_memory(component(partial, at, static_cast<int>(i)), folds[i].carried);
        return folds[i].combine(total, lane);
    });
    const RDom rest = part_of(loops, loops.extents.back() - done);
    const IndexTuple place = place_in(loops, rest, done + rest[0]);
    accumulate(func, as_exprs(loops.kept), folds, rest,
               [&](std::size_t i, const auto& total) { return folds[i].add(total, place); });
}

/// Folds `chunks` of elements in lanes side by side, which stay in registers until they are stored in what
/// this gives; its variables are `variables`, the lane first.
Func fold_lanes(const std::vector<Var>& variables, const std::vector<Accumulation>& folds, const RDom& chunks,
                const IndexTuple& place) {
    Func partial("partial"), lanes("lanes");
    start(partial, variables, folds);
    accumulate(partial, as_exprs(variables), folds, chunks,
               [&](std::size_t i, const auto& total) { return folds[i].add(total, place); });
    std::vector<Expr> values;
    for (int i = 0; i < static_cast<int>(folds.size()); ++i)
        values.push_back(component(partial, as_exprs(variables), i));
    define(lanes, as_exprs(variables), std::move(values));
    const Var all("all_"), lane("one_");
    lanes.bound(variables[0], 0, chunk).split(variables[0], all, lane, chunk).vectorize(lane);
    partial.bound(variables[0], 0, chunk).vectorize(variables[0]).compute_at(lanes, all);
    partial.update().vectorize(variables[0]);
    return lanes;
}

/// The last dimension goes: its elements are folded in lanes side by side, and these at the end.
Func fold_rows(const ReductionLoops& loops, const std::vector<Accumulation>& folds) {
    const Var lane("lane_"), task("task_"), row("row_");
    const Expr last = loops.extents.back();
    std::vector<Var> with_lane{lane};
    with_lane.insert(with_lane.end(), loops.kept.begin(), loops.kept.end());
    const RDom chunks = part_of(loops, last / chunk);
    Func lanes = fold_lanes(with_lane, folds, chunks, place_in(loops, chunks, chunks[0] * chunk + lane));
    Func func("fold");
    finish(func, lanes, RDom(0, chunk), loops, folds, last / chunk * chunk);
    if (loops.kept.empty()) {
        lanes.compute_root();
        return func;
    }
    const Var inner = loops.kept.size() == 1 && loops.parallel ? row : loops.kept[0];
    for (int i = 0; i < func.num_update_definitions() && loops.parallel; ++i) {
        if (loops.kept.size() == 1)
            func.update(i)
                .split(loops.kept[0], task, row, task_rows, TailStrategy::GuardWithIf)
                .parallel(task);
        else
            func.update(i).parallel(loops.kept.back());
    }
    lanes.compute_at(func, inner);
    return func;
}

/// Everything goes, and there is much of it: blocks of it are folded by different threads.
Func fold_all(const ReductionLoops& loops, const std::vector<Accumulation>& folds) {
    const Var lane("lane_"), block("block_");
    const Expr each = loops.extents.back() / (chunk * blocks);
    const RDom chunks = part_of(loops, each);
    Func lanes = fold_lanes({lane, block}, folds, chunks,
                            place_in(loops, chunks, (block * each + chunks[0]) * chunk + lane));
    lanes.bound(block, 0, blocks).parallel(block).compute_root();
    Func func("fold");
    finish(func, lanes, RDom(Halide::Region{{0, chunk}, {0, blocks}}), loops, folds, each * (chunk * blocks));
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
