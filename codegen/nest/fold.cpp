// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "fold.hpp"

#include <algorithm>

namespace frisket {

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

constexpr int chunk = 16;      // elements of a row that are folded side by side
constexpr int blocks = 64;     // parts of a full reduction
constexpr int task_rows = 64;  // rows that a thread takes at once
constexpr int task_vectors = 32;

std::vector<Expr> as_exprs(const std::vector<Var>& variables) { return {variables.begin(), variables.end()}; }

void define(Func& func, const std::vector<Expr>& at, std::vector<Expr> values) {
    if (values.size() == 1)
        func(at) = values[0];
    else
        func(at) = Halide::Tuple(values);
}

void start(Func& func, const std::vector<Var>& variables, const std::vector<Fold>& folds) {
    std::vector<Expr> values;
    for (const Fold& one : folds) values.push_back(lowering::to_memory(one.identity, one.carried));
    if (values.size() == 1)
        func(variables) = values[0];
    else
        func(variables) = Halide::Tuple(values);
}

/// func(at) = combine(func(at), term(i)) for each fold i, over a domain.
template <class Term>
void accumulate(Func& func, const std::vector<Expr>& at, const std::vector<Fold>& folds,
                const std::optional<RDom>& over, Term&& term) {
    std::vector<Expr> values;
    for (std::size_t i = 0; i < folds.size(); ++i) {
        const auto total = lowering::from_memory(component(func, at, static_cast<int>(i)), folds[i].carried);
        const auto added = over && i == 0 ? in_all_of(*over, at, term(i), folds[i].identity) : term(i);
        values.push_back(lowering::to_memory(folds[i].combine(total, added), folds[i].carried));
    }
    define(func, at, std::move(values));
}

/// The index of the operand: `reduced` run over the reduced dimensions in their order, variables over the
/// others.
Place operand_place(const FoldLoops& loops, const std::vector<Expr>& reduced) {
    Index index;
    std::size_t kept = loops.kept.size(), next = 0;
    for (const bool is_reduced : loops.reduced)
        index.push_back(is_reduced ? reduced[next++] : Expr(loops.kept[--kept]));
    return std::make_shared<const Index>(std::move(index));
}

/// Ranges of the reduced dimensions, innermost first.
Halide::Region region_of(const FoldLoops& loops) {
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

/// The last dimension stays.  Rows are added to a strip of the result, which stays in cache.
Func fold_columns(const FoldLoops& loops, const std::vector<Fold>& folds) {
    Func func("fold");
    start(func, loops.kept, folds);
    const Halide::Region region = region_of(loops);
    std::vector<Expr> reduced;
    std::vector<Halide::VarOrRVar> order;
    std::optional<RDom> over;
    if (!region.empty()) {
        over.emplace(region);
        reduced = outermost_first(*over);
        for (int i = 0; i < over->dimensions(); ++i) order.emplace_back((*over)[i]);
    }
    const Place place = operand_place(loops, reduced);
    accumulate(func, as_exprs(loops.kept), folds, over, [&](std::size_t i) { return folds[i].term(place); });
    if (loops.kept.empty()) return func;
    const Var lane("lane_"), strip("strip_"), task("task_");
    Stage stage = func.update();
    stage.split(loops.kept[0], strip, lane, loops.lanes, TailStrategy::GuardWithIf)
        .split(strip, task, strip, task_vectors, TailStrategy::GuardWithIf)
        .vectorize(lane);
    order.insert(order.begin(), {lane, strip});
    order.emplace_back(task);
    stage.reorder(order);
    if (loops.parallel) {
        if (loops.kept.size() == 1)
            stage.parallel(task);
        else
            stage.parallel(loops.kept.back());
    }
    return func;
}

/// A range of the last dimension, and all of the other reduced ones.
RDom part_of_rows(const FoldLoops& loops, const Expr& last) {
    Halide::Region region = region_of(loops);
    region[0] = Halide::Range(0, last);
    return RDom(region);
}

Place place_in_row(const FoldLoops& loops, const RDom& over, const Expr& last) {
    std::vector<Expr> reduced = outermost_first(over);
    reduced.back() = last;
    return operand_place(loops, reduced);
}

/// Puts `func` together: the lanes of `partial`, whose further dimensions are `more`, then what is left of
/// the row from `done` on.
void finish(Func& func, const Func& partial, const RDom& lanes, const FoldLoops& loops,
            const std::vector<Fold>& folds, const Expr& done) {
    start(func, loops.kept, folds);
    std::vector<Expr> at;
    for (int i = 0; i < lanes.dimensions(); ++i) at.emplace_back(lanes[i]);
    for (const Var& variable : loops.kept) at.emplace_back(variable);
    accumulate(func, as_exprs(loops.kept), folds, lanes, [&](std::size_t i) {
        return lowering::from_memory(component(partial, at, static_cast<int>(i)), folds[i].carried);
    });
    const RDom rest = part_of_rows(loops, loops.extents.back() - done);
    const Place place = place_in_row(loops, rest, done + rest[0]);
    accumulate(func, as_exprs(loops.kept), folds, rest, [&](std::size_t i) { return folds[i].term(place); });
}

/// The last dimension goes: its elements are folded in lanes side by side, and these at the end.
Func fold_rows(const FoldLoops& loops, const std::vector<Fold>& folds) {
    const Var lane("lane_"), task("task_"), row("row_");
    const Expr last = loops.extents.back();
    Func partial("partial"), func("fold");
    std::vector<Var> with_lane{lane};
    with_lane.insert(with_lane.end(), loops.kept.begin(), loops.kept.end());
    start(partial, with_lane, folds);
    const RDom chunks = part_of_rows(loops, last / chunk);
    const Place place = place_in_row(loops, chunks, chunks[0] * chunk + lane);
    accumulate(partial, as_exprs(with_lane), folds, chunks,
               [&](std::size_t i) { return folds[i].term(place); });
    partial.bound(lane, 0, chunk).vectorize(lane);
    partial.update().vectorize(lane);
    finish(func, partial, RDom(0, chunk), loops, folds, last / chunk * chunk);
    if (loops.kept.empty()) {
        partial.compute_root();
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
    partial.compute_at(func, inner);
    return func;
}

/// Everything goes, and there is much of it: blocks of it are folded by different threads.
Func fold_all(const FoldLoops& loops, const std::vector<Fold>& folds) {
    const Var lane("lane_"), block("block_");
    const Expr each = loops.extents.back() / (chunk * blocks);
    Func partial("partial"), func("fold");
    const std::vector<Var> variables{lane, block};
    start(partial, variables, folds);
    const RDom chunks = part_of_rows(loops, each);
    const Place place = place_in_row(loops, chunks, (block * each + chunks[0]) * chunk + lane);
    accumulate(partial, as_exprs(variables), folds, chunks,
               [&](std::size_t i) { return folds[i].term(place); });
    partial.bound(lane, 0, chunk).bound(block, 0, blocks).vectorize(lane).compute_root();
    partial.update().vectorize(lane).parallel(block);
    finish(func, partial, RDom(Halide::Region{{0, chunk}, {0, blocks}}), loops, folds,
           each * (chunk * blocks));
    return func;
}

}  // namespace

Func fold(const FoldLoops& loops, const std::vector<Fold>& folds) {
    const bool is_along_rows = !loops.reduced.empty() && loops.reduced.back();
    if (!is_along_rows) return fold_columns(loops, folds);
    return loops.parallel && loops.reduced.size() == 1 ? fold_all(loops, folds) : fold_rows(loops, folds);
}

}  // namespace frisket
