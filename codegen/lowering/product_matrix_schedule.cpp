// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "product_matrix.hpp"

#include <algorithm>

/// Tiles and tasks of products of matrices, and where their copies of the factors are made.
namespace frisket::codegen::products {

using Halide::Expr;
using Halide::Func;
using Halide::TailStrategy;
using Halide::Var;

/// Numbers of tiles of a task: columns of an outer task, whose copy it makes, rows of the inner tasks that
/// read it.
struct MatrixProduct::Tasks { Expr columns, rows; };

/// The copy of an inner task's rows fits into a cache.  An outer task has all columns; where rows are too few
/// to read a copy often, only columns that fit into a cache.
MatrixProduct::Tasks MatrixProduct::tasks() const {
    constexpr int cached = 768 << 10, shared = 16 << 20, wanted = 16, few = 6, least = 4;
    const Expr across = (columns_ + width_ - 1) / width_, down = (rows_ + height_ - 1) / height_;
    const int bytes = terms_->type().bytes();
    const Expr length = Halide::max(terms_->has_panels() ? Expr(panel) : terms_->count(), 1);
    Expr outer = 1, inner = 1;
    for (int i = 1; i < terms_->rank(); ++i) {
        if (i == dims_.row || terms_->is_single(i)) continue;
        const bool is_outer = contains(column_.batches, terms_->loops().kept[i]);
        (is_outer ? outer : inner) = (is_outer ? outer : inner) * terms_->extent(i);
    }
    Expr rows = Halide::max(cached / (length * (height_ * bytes)), 8);
    if (terms_->loops().task_rows.defined())
        rows = Halide::max(Halide::min(rows, terms_->loops().task_rows / height_), 1);
    const Expr memory = Halide::select(down * inner <= few, cached / 6, shared);
    Expr columns = Halide::max(Halide::min(memory / (length * (width_ * bytes)), across), 1);
    if (terms_->loops().parallel) {
        outer = outer * ((across + columns - 1) / columns);
        const Expr fair = Halide::max(down * inner * outer / wanted, least);
        rows = Halide::min(rows, fair);
        inner = Halide::max(inner * ((down + rows - 1) / rows), 1);
        columns = Halide::max(Halide::min(columns, across * outer * inner / wanted), 1);
    }
    return {columns, rows};
}

/// Cuts the reader into tiles, and these into tasks: returns the loops over inner and outer tasks.
std::pair<Var, Var> MatrixProduct::cut(Func& reader) {
    const Var x = terms_->loops().kept[0], y = terms_->loops().kept[dims_.row];
    const Var xi("x_"), yi("y_"), xg("xg_"), yg("yg_");
    const auto guard = TailStrategy::GuardWithIf;
    const Tasks tasks = this->tasks();
    reader.split(x, xo_, xi, width_, guard)
        .split(y, yo_, yi, height_, guard)
        .split(yo_, yg, yo_, tasks.rows, guard)
        .split(xo_, xg, xo_, tasks.columns, guard);
    std::vector<Var> inner{yg}, outer{xg};
    for (const Var& batch : batches_) (contains(column_.batches, batch) ? outer : inner).push_back(batch);
    std::vector<Halide::VarOrRVar> order{xi, yi, yo_, xo_};
    order.insert(order.end(), inner.begin(), inner.end());
    order.insert(order.end(), outer.begin(), outer.end());
    reader.reorder(order).vectorize(xi, lanes_, guard).never_partition_all();
    const Var rows = fuse_loops(reader, inner, "rows_"), columns = fuse_loops(reader, outer, "columns_");
    if (terms_->loops().parallel) reader.parallel(rows).parallel(columns);
    return {rows, columns};
}

/// Computes the largest magnitudes of the copy of a factor at a loop, in vectors along `in`.
void MatrixProduct::place_largest(Factor& factor, const Halide::LoopLevel& level, const Var& in, int width) {
    if (!factor.largest.defined()) return;
    const int lanes = std::min(lanes_, width);
    factor.magnitudes.bound(in, 0, width).vectorize(in, lanes).unroll(in);
    factor.magnitudes.update().vectorize(in, lanes).unroll(in);
    for (Func& func : {std::ref(factor.magnitudes), std::ref(factor.largest)}) {
        func.compute_at(level).never_partition_all();
        func.update().never_partition_all();
    }
}

void MatrixProduct::schedule_columns(const Halide::LoopLevel& level) {
    column_.packed.compute_at(level).bound(xi_, 0, width_);
    const bool has_tasks = terms_->loops().parallel && !terms_->stores_panels();
    if (has_tasks) column_.packed.update(0).parallel(xo_);
    place_largest(column_, level, xi_, width_);
    if (column_.largest.defined() && has_tasks) column_.magnitudes.update().parallel(xo_);
}

void MatrixProduct::schedule_rows(const Halide::LoopLevel& level) {
    row_.packed.compute_at(level).bound(yi_, 0, height_);
    if (row_.along_terms) row_.packed.bound(ki_, 0, chunk_);
    place_largest(row_, level, row_.along_terms ? ki_ : yi_, row_.along_terms ? chunk_ : height_);
}

/// Computes totals for an outer task of the reader, a panel at a time: returns the loop over rows.
Var MatrixProduct::cut_totals(Func& reader, const Var& outer_task) {
    Func total = total_.func;
    total.compute_at(reader, outer_task).bound(xi_, 0, width_).bound(yi_, 0, height_).vectorize(xi_, lanes_);
    total.never_partition_all();
    auto panels = total.update();
    const Var yg("yg_");
    panels.split(yo_, yg, yo_, tasks().rows, TailStrategy::GuardWithIf);
    std::vector<Var> inner{yg}, outer;
    for (const Var& batch : batches_) (contains(column_.batches, batch) ? outer : inner).push_back(batch);
    std::vector<Halide::VarOrRVar> order{xi_, yi_, yo_, xo_};
    order.insert(order.end(), inner.begin(), inner.end());
    order.insert(order.end(), outer.begin(), outer.end());
    order.emplace_back(total_.panels->x);
    panels.reorder(order).vectorize(xi_, lanes_).never_partition_all();
    const Var rows = fuse_loops(panels, inner, "totals_");
    if (!terms_->loops().parallel) return rows;
    panels.parallel(rows);
    total.parallel(yo_);
    return rows;
}

/// Computes the sums of all panels, a panel at a time, and then the totals: returns the loop over panels.
Var MatrixProduct::cut_stored_panels() {
    std::vector<Halide::VarOrRVar> order{xi_, yi_, yo_, xo_};
    order.insert(order.end(), batches_.begin(), batches_.end());
    Func stored = total_.stored, total = total_.func;
    for (Func& func : {std::ref(stored), std::ref(total)}) {
        func.compute_root().bound(xi_, 0, width_).bound(yi_, 0, height_).vectorize(xi_, lanes_);
        func.never_partition_all();
    }
    const Var panel = stored.args().back();
    stored.reorder(order).parallel(panel);
    order.emplace_back(total_.panels->x);
    total.update().reorder(order).vectorize(xi_, lanes_).never_partition_all();
    return panel;
}

/// Computes totals for a task of rows of the reader, with all that is computed for them.
void MatrixProduct::cut_totals_in_rows(Func& reader, const Var& task) {
    Func total = total_.func;
    total.compute_at(reader, task).bound(xi_, 0, width_).bound(yi_, 0, height_).vectorize(xi_, lanes_);
    std::vector<Halide::VarOrRVar> order{xi_, yi_, yo_, xo_};
    order.insert(order.end(), batches_.begin(), batches_.end());
    order.emplace_back(total_.panels->x);
    total.never_partition_all().update().reorder(order).vectorize(xi_, lanes_).never_partition_all();
}

Halide::LoopLevel MatrixProduct::schedule(Func& reader) {
    const auto [task, outer_task] = cut(reader);
    const bool has_rows = terms_->loops().task_rows.defined(), is_in_rows = terms_->loops().is_in_rows;
    const Halide::LoopLevel rows(reader, task);
    Func whole = reader;
    Halide::LoopLevel inner = rows, outer(reader, outer_task);
    const bool stores_panels = total_.stored.defined();
    if (stores_panels) {
        whole = total_.stored;
        inner = outer = Halide::LoopLevel(whole, cut_stored_panels());
    } else if (total_.panels && (has_rows || is_in_rows)) {
        cut_totals_in_rows(reader, task);
        whole = total_.func;
        inner = Halide::LoopLevel(whole, total_.panels->x);
        outer = Halide::LoopLevel(whole, xo_);
        column_.packed.bound_extent(xo_, 1);
    } else if (total_.panels) {
        whole = total_.func;
        inner = Halide::LoopLevel(whole, cut_totals(reader, outer_task));
        outer = Halide::LoopLevel(whole, total_.panels->x);
    } else if (is_in_rows) {
        outer = Halide::LoopLevel::root();
    }
    schedule_rows(inner);
    schedule_columns(outer);
    for (BlockMask* blocks : {&used_, &wanted_})
        if (blocks->is_defined())
            blocks->compute_at(total_.panels && !has_rows && !is_in_rows ? inner : rows);
    sums_.compute_at(whole, yo_)
        .store_in(Halide::MemoryType::Stack)
        .bound(xi_, 0, width_)
        .bound(yi_, 0, height_)
        .bound_extent(xo_, 1)
        .bound_extent(yo_, 1)
        .vectorize(xi_, lanes_)
        .never_partition_all();
    for (int i = 0; i < sums_.num_update_definitions(); ++i) sums_.update(i).never_partition_all();
    return rows;
}

}  // namespace frisket::codegen::products
