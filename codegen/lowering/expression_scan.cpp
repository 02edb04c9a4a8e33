// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "../../runtime/limits.hpp"
#include "../limits.hpp"
#include "expression_lowerer.hpp"
#include "lanes.hpp"

/// Running reductions.  In rows: in blocks of `scan_block` elements, each number at once with the numbers 1,
/// 2, 4 and 8 positions before it, then with the total of the blocks before it, for every schedule.
namespace frisket::codegen {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Var;
using lowering::Value;

namespace {

constexpr int block = limits::scan_block;

std::vector<Expr> with_first(const std::vector<Var>& variables, const Expr& first) {
    std::vector<Expr> at(variables.begin(), variables.end());
    at[0] = first;
    return at;
}

}  // namespace

/// Schedules the Funcs of a running reduction: with its row, or whole.
void ExpressionLowerer::place_scan(Func func, NodeId id, const Var& rows) {
    if (rows_.contains(id)) {
        row_funcs_.push_back(func);
    } else {
        func.compute_root();
        if (form_.parallel && graph_[id].shape.size() > 1) func.parallel(rows);
    }
}

ExpressionLowerer::Stored ExpressionLowerer::scan(NodeId id, const Node& node) {
    const Accumulation how = fold_of(node, node.reduction);
    const auto dim = static_cast<std::size_t>(node.attributes[0]);
    const bool is_along_rows = dim + 1 == node.shape.size();
    if (is_recurrence(node)) return recurrence(id, node, how);
    kinds_.add(is_along_rows ? LoopKind::scanned_rows : LoopKind::scanned_columns);
    return is_along_rows ? scan_rows(id, node, how) : scan_columns(id, node, how);
}

/// Blocks that a device runs through a step at a time: each step reads the result that the step before it
/// stored.
Func ExpressionLowerer::scan_blocks(NodeId id, const Node& node, const Accumulation& how) {
    const auto variables = ExpressionLowerer::variables(node.shape);
    const Var x = variables[0];
    const Expr width = extent(id, static_cast<int>(node.shape.size()) - 1);
    Func made("terms");
    made(variables) = lowering::to_memory(how.term(pure(node.shape)), how.carried);
    for (int step = 1; step < block; step *= 2) {
        const auto at = [&](const Expr& where) {
            return lowering::from_memory(made(with_first(variables, where)), how.carried);
        };
        const Value total = at(x), both = how.combine(at(Halide::max(x - step, 0)), total);
        Func next("block");
        next(variables) =
            lowering::to_memory(lowering::select({x % block >= step}, both, total), how.carried);
        next.bound(x, 0, Halide::max(width, 1)).compute_root();
        made = next;
    }
    return made;
}

ExpressionLowerer::Stored ExpressionLowerer::scan_rows(NodeId id, const Node& node, const Accumulation& how) {
    const auto variables = ExpressionLowerer::variables(node.shape);
    const Var x = variables[0];
    const Expr width = extent(id, static_cast<int>(node.shape.size()) - 1);
    const auto value = [&](const Func& func, const Expr& at) {
        return lowering::from_memory(func(with_first(variables, at)), how.carried);
    };
    Func sum("block"), before("before"), result("scan");
    if (on_device_) {
        sum = scan_blocks(id, node, how);
    } else {
        Value total = how.term(pure(node.shape));
        for (int step = 1; step < block; step *= 2) {
            const Expr lane = x % block,
                       earlier = shifted(lowering::to_memory(total, how.carried), lane, step);
            const Value left = lowering::from_memory(earlier, how.carried), has_left{lane >= step};
            // Where a lane's own product is not wanted LLVM leaves a factor as some register has it, and a
            // factor that is no normal number takes a processor 100 times as long: such lanes get 1.
            if (node.reduction == Reduction::prod)
                total = how.combine(lowering::select(has_left, left, how.identity), total);
            else
                total = lowering::select(has_left, how.combine(left, total), total);
        }
        sum(variables) = lowering::to_memory(total, how.carried);
        sum.vectorize(x, block, TailStrategy::GuardWithIf).bound(x, 0, Halide::max(width, 1));
    }
    before(variables) = lowering::to_memory(how.identity, how.carried);
    const RDom blocks(1, Halide::max((width + block - 1) / block - 1, 0));
    before(with_first(variables, blocks)) = lowering::to_memory(
        how.combine(value(before, blocks - 1), value(sum, blocks * block - 1)), how.carried);
    result(variables) =
        lowering::to_memory(how.combine(value(before, x / block), value(sum, x)), how.carried);
    // Terms are read under their masks: no processor begins to read them before these have come.
    if (rows_.contains(id)) prefetching_.push_back(sum.name());
    for (const Func& func : {sum, before}) place_scan(func, id, variables.back());
    if (!rows_.contains(id) && form_.parallel && variables.size() > 1)
        before.update().parallel(variables.back());
    return {result, 0, how.carried};
}

/// Updates `func` along a dimension: `combined` of the result before, the identity at first, and the index.
void ExpressionLowerer::scan_along(Func& func, const RDom& along, NodeId id, const Node& node,
                                   const Accumulation& how, const ScanStep& combined) {
    const auto dim = static_cast<int>(node.attributes[0]);
    func(variables(node.shape)) = Halide::undef(lowering::memory_type(how.carried));
    Index here = *pure(node.shape), before;
    here[dim] = along[0];
    before = here;
    before[dim] = Halide::max(along[0] - 1, 0);
    const std::vector<Expr> at(here.rbegin(), here.rend()), previous(before.rbegin(), before.rend());
    const Value total =
        lowering::select({along[0] == 0}, how.identity, lowering::from_memory(func(previous), how.carried));
    const Value made = combined(total, std::make_shared<const Index>(std::move(here)));
    func(at) = lowering::to_memory(made, how.carried);
    bound(func, id);
}

/// One element after the other: at a thousand million a second, faster than the code that reads and writes
/// them.
ExpressionLowerer::Stored ExpressionLowerer::recurrence(NodeId id, const Node& node,
                                                        const Accumulation& how) {
    kinds_.add(LoopKind::scanned_columns);
    Func func("recurrence");
    const RDom along(0, extent(id, static_cast<int>(node.attributes[0])));
    const DType dtype = operand_dtype(graph_, node, 0);
    scan_along(func, along, id, node, how, [&](const Value& total, const IndexTuple& place) {
        const Value factor =
            read(node.operands[2], dtype, broadcast_index(node.operands[2], node.shape, place));
        return how.term(place) + lowering::convert(factor, how.carried) * total;
    });
    return {func, 0, how.carried};
}

ExpressionLowerer::Stored ExpressionLowerer::scan_columns(NodeId id, const Node& node,
                                                          const Accumulation& how) {
    const auto variables = ExpressionLowerer::variables(node.shape);
    Func func("scan");
    const RDom along(0, extent(id, static_cast<int>(node.attributes[0])));
    scan_along(func, along, id, node, how, [&](const Value& total, const IndexTuple& place) {
        return how.combine(total, how.term(place));
    });
    if (!has_vectors(node.shape)) return {func, 0, how.carried};
    const Var strip("strip_"), in_strip("in_strip_"), lane("lane_");
    func.update()
        .split(variables[0], strip, in_strip, 4 * form_.lanes, TailStrategy::GuardWithIf)
        .split(in_strip, in_strip, lane, form_.lanes, TailStrategy::GuardWithIf)
        .vectorize(lane)
        .reorder(lane, in_strip, along[0], strip);
    if (form_.parallel) func.update().parallel(strip);
    return {func, 0, how.carried};
}

}  // namespace frisket::codegen
