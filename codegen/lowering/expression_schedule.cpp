// SPDX-License-Identifier: MIT
#include <Halide.h>

#include <algorithm>

#include "../limits.hpp"
#include "expression_lowerer.hpp"
#include "product_terms.hpp"

/// Schedules of Funcs that compute each element once: vectors, tiles, threads, rows.
namespace frisket::codegen {

using Halide::Expr;
using Halide::Func;
using Halide::Var;

namespace {

/// Elements of rows that a thread takes at once.
constexpr int task_elements = 1 << 15;
/// Elements of short rows of which each stage makes several before the next stage begins, as one row is a
/// chain of short loops that wait for each other.
constexpr int short_row_elements = 512;
constexpr int most_short_rows = 4;

/// Finds a dimension other than the innermost, along which neighbours are neighbours in memory of a tensor.
class TransposedLoads final : public Halide::Internal::IRGraphVisitor {
public:
    explicit TransposedLoads(const std::vector<Var>& variables) : variables_(variables) {}
    std::size_t dim = 0;  ///< number of the variable, or 0

private:
    using IRGraphVisitor::visit;
    void visit(const Halide::Internal::Call* call) override {
        IRGraphVisitor::visit(call);
        const bool is_load = call->call_type == Halide::Internal::Call::Image ||
                             call->call_type == Halide::Internal::Call::Halide;
        if (!is_load || call->args.size() < 2 || uses(call->args[0], 0)) return;
        const bool is_strided = std::any_of(call->args.begin() + 1, call->args.end(),
                                            [&](const Expr& at) { return uses(at, 0); });
        for (std::size_t i = 1; is_strided && i < variables_.size(); ++i)
            if (uses(call->args[0], i)) dim = i;
    }
    bool uses(const Expr& at, std::size_t i) const {
        return Halide::Internal::expr_uses_var(at, variables_[i].name());
    }

    const std::vector<Var>& variables_;
};

std::size_t transposed_dim(const Func& func, const std::vector<Var>& variables) {
    TransposedLoads loads(variables);
    const Halide::Tuple values = func.values();
    for (const Expr& value : values.as_vector()) value.accept(&loads);
    return loads.dim;
}

/// Tiles in which each line of a transposed tensor that is read is used whole.
void schedule_tiles(Func& func, const std::vector<Var>& variables, std::size_t other,
                    const Specialization& form) {
    constexpr int tiles = 8;
    const int width = form.schedule.transposed_columns != 0 ? form.schedule.transposed_columns : 64;
    const int height = form.schedule.transposed_rows != 0 ? form.schedule.transposed_rows : 16;
    const Var x("x_"), y("y_"), columns("columns_"), rows("rows_"), task("task_");
    const auto guard = Halide::TailStrategy::GuardWithIf;
    func.tile(variables[0], variables[other], columns, rows, x, y, width, height, guard)
        .vectorize(x, std::min(form.lanes, width), guard)
        .split(rows, task, rows, tiles, guard);
    std::vector<Halide::VarOrRVar> order{x, y, columns, rows, task};
    for (std::size_t i = 1; i < variables.size(); ++i)
        if (i != other) order.emplace_back(variables[i]);
    func.reorder(order);
    if (form.parallel) func.parallel(order.back().var);
}

}  // namespace

void ExpressionLowerer::schedule_elementwise(Func& func, NodeId id) {
    const Shape& shape = graph_[id].shape;
    const auto variables = ExpressionLowerer::variables(shape);
    const std::size_t other = variables.empty() ? 0 : transposed_dim(func, variables);
    kinds_.add(other != 0 ? LoopKind::transposed_tiles : LoopKind::elements);
    if (variables.empty()) return;
    if (other != 0) return schedule_tiles(func, variables, other, form_);
    const auto guard = Halide::TailStrategy::GuardWithIf;
    if (has_vectors(shape)) func.vectorize(variables[0], form_.lanes, guard);
    if (!form_.parallel) return;
    const int grain = form_.schedule.grain != 0 ? form_.schedule.grain : limits::task_vectors * form_.lanes;
    if (variables.size() == 1) {
        func.parallel(variables[0], std::max(grain / form_.lanes, 1), guard);
    } else {
        Expr inner = 1;
        for (int d = 1; d < static_cast<int>(shape.size()); ++d)
            inner = inner * Halide::max(extent(id, d), 1);
        const Var task("task_"), in_task("in_task_");
        func.split(variables.back(), task, in_task, Halide::max(grain / inner, 1), guard).parallel(task);
    }
}

/// Several rows at a time, the rows of a tile of a product.
void ExpressionLowerer::schedule_row_tiles(Func& result, const Shape& shape) {
    const auto variables = ExpressionLowerer::variables(shape);
    const std::size_t first = variables.size() - static_cast<std::size_t>(rows_.rank());
    const auto guard = Halide::TailStrategy::GuardWithIf;
    if (first > 0 && has_vectors(shape)) result.vectorize(variables[0], form_.lanes, guard);
    const Var tile("row_tile_"), row("row_");
    result.split(variables[first], tile, row, rows_of_tile(form_), guard);
    std::vector<Var> loops(variables.begin() + static_cast<std::ptrdiff_t>(first), variables.end());
    loops[0] = tile;
    const Var task = fuse_loops(result, loops, "tiles_");
    if (form_.parallel) result.parallel(task);
    for (Func& func : row_funcs_) func.compute_at(result, task);
}

void ExpressionLowerer::schedule_result(Func& result, NodeId id) {
    const Shape& shape = graph_[id].shape;
    if (form_.parallel) kinds_.add(LoopKind::threads);
    if (tile_) {
        kinds_.add(LoopKind::result_tiles);
        const Halide::LoopLevel rows = tile_->schedule(result);
        for (Func& func : row_funcs_) func.compute_at(rows);
        return;
    }
    if (rows_.rank() == 0) return schedule_elementwise(result, id);
    kinds_.add(rows_.has_products() ? LoopKind::row_tiles : LoopKind::rows);
    if (rows_.has_products()) return schedule_row_tiles(result, shape);
    const auto variables = ExpressionLowerer::variables(shape);
    const auto rank = static_cast<std::size_t>(rows_.rank());
    const bool has_columns = shape.size() > rank;
    if (has_columns && has_vectors(shape))
        result.vectorize(variables[0], form_.lanes, Halide::TailStrategy::GuardWithIf);
    std::vector<Var> loops(variables.end() - rows_.rank(), variables.end());
    const Expr width = has_columns ? result.output_buffers()[0].dim(0).extent() : Expr(task_elements / 64);
    Expr count = 1;
    if (has_columns) {
        // Split before rows are fused: several of fused rows would need all of their inner dimension.
        const Var rows("short_rows_"), in_rows("short_row_");
        count = Halide::clamp(short_row_elements / Halide::max(width, 1), 1, most_short_rows);
        result.split(loops[0], rows, in_rows, count, Halide::TailStrategy::GuardWithIf);
        result.never_partition(in_rows);
        loops[0] = rows;
    }
    Var row = fuse_loops(result, loops, "rows_");
    if (form_.parallel) {
        const Var task("task_"), in_task("row_");
        const int grain = form_.schedule.grain != 0 ? form_.schedule.grain : task_elements;
        const Expr rows = Halide::max(grain / Halide::max(width * count, 1), 1);
        result.split(row, task, in_task, rows, Halide::TailStrategy::GuardWithIf).parallel(task);
        row = in_task;
        for (Func& func : row_funcs_) func.hoist_storage(result, task);
    } else {
        for (Func& func : row_funcs_) func.hoist_storage_root();
    }
    for (Func& func : row_funcs_) func.compute_at(result, row);
}

}  // namespace frisket::codegen
