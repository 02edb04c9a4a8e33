// SPDX-License-Identifier: MIT
#include <Halide.h>

#include <algorithm>
#include <limits>

#include "lowerer.hpp"

/// Funcs of their own: reductions, running reductions, scatters.
namespace frisket {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::Var;
using lowering::Value;

namespace {

constexpr int lanes = 16;

bool is_reduced(const Node& node, int dim) {
    return std::ranges::find(node.attributes, dim) != node.attributes.end();
}

/// float32 is carried in float64.
DType carried_dtype(DType dtype) { return dtype == DType::float32 ? DType::float64 : dtype; }

Value largest(DType dtype) {
    if (info(dtype).is_float) return lowering::constant(std::numeric_limits<double>::infinity(), dtype);
    return {lowering::expr_type(dtype).max()};
}

Value smallest(DType dtype) {
    if (info(dtype).is_float) return lowering::constant(-std::numeric_limits<double>::infinity(), dtype);
    return {lowering::expr_type(dtype).min()};
}

Value stored_value(const Func& func, const std::vector<Expr>& at, DType dtype) {
    return lowering::from_memory(const_cast<Func&>(func)(at), dtype);
}

/// func(at) = combine(func(at), term)
void accumulate(Func& func, const std::vector<Expr>& at, const Fold& fold, const Value& term) {
    func(at) = lowering::to_memory(fold.combine(stored_value(func, at, fold.carried), term));
}

void vectorize_columns(Halide::Stage stage, const std::vector<Var>& variables) {
    if (!variables.empty()) stage.vectorize(variables[0], lanes / 2, Halide::TailStrategy::GuardWithIf);
}

}  // namespace

const NestLowerer::Stored& NestLowerer::stored(NodeId id) {
    if (const auto known = stored_.find(id); known != stored_.end()) return known->second;
    const Node& node = graph_[id];
    Stored made;
    switch (node.kind) {
        case NodeKind::reduce: {
            const bool is_position =
                node.reduction == Reduction::argmin || node.reduction == Reduction::argmax;
            made = is_position ? position(id, node) : reduce(id, node);
            break;
        }
        case NodeKind::scan: made = scan(id, node); break;
        case NodeKind::scatter:
        case NodeKind::unview: made = scatter(id, node); break;
        default: throw Bug(graph_.name + ": an instruction without loops");
    }
    bound(made.func, id);
    return stored_.emplace(id, made).first->second;
}

/// Says which elements there are: exactly those of the node.
void NestLowerer::bound(Func& func, NodeId id) {
    const auto variables = NestLowerer::variables(graph_[id].shape);
    const int rank = static_cast<int>(variables.size());
    for (int i = 0; i < rank; ++i) func.bound(variables[i], 0, extent(id, rank - 1 - i));
    func.compute_root();
}

Fold NestLowerer::fold_of(const Node& node, Reduction reduction) {
    const NodeId x = node.operands[0], mask = node.operands[1];
    const DType dtype = graph_[x].weak ? node.dtype : graph_[x].dtype;
    Fold fold;
    fold.carried = dtype;
    switch (reduction) {
        case Reduction::sum:
        case Reduction::prod: {
            const bool is_sum = reduction == Reduction::sum;
            fold.carried = carried_dtype(dtype);
            fold.identity = lowering::constant(is_sum ? 0.0 : 1.0, fold.carried);
            if (is_sum)
                fold.combine = [](const Value& a, const Value& b) { return a + b; };
            else
                fold.combine = [](const Value& a, const Value& b) { return a * b; };
            break;
        }
        case Reduction::any:
        case Reduction::all:
            fold.identity = {reduction == Reduction::all ? Halide::Internal::const_true()
                                                         : Halide::Internal::const_false()};
            if (reduction == Reduction::any)
                fold.combine = [](const Value& a, const Value& b) { return a || b; };
            else
                fold.combine = [](const Value& a, const Value& b) { return a && b; };
            break;
        case Reduction::amin:
        case Reduction::argmin:
            fold.identity = largest(dtype);
            fold.combine = [](const Value& a, const Value& b) { return op::Minimum::eval(a, b); };
            break;
        case Reduction::amax:
        case Reduction::argmax:
            fold.identity = smallest(dtype);
            fold.combine = [](const Value& a, const Value& b) { return op::Maximum::eval(a, b); };
            break;
    }
    fold.term = [this, x, mask, dtype, carried = fold.carried, identity = fold.identity,
                 shape = graph_[x].shape](const Place& place) {
        const Value value = lowering::convert(read(x, dtype, place), carried);
        if (mask == no_node) return value;
        return lowering::select(at(mask, seen_from(mask, shape, place)), value, identity);
    };
    return fold;
}

NestLowerer::Stored NestLowerer::reduce(NodeId, const Node& node) {
    const Fold how = fold_of(node, node.reduction);
    return {fold(node, how), how.carried};
}

// The best value first, then the first position that has it: no loop carries both.
NestLowerer::Stored NestLowerer::position(NodeId id, const Node& node) {
    const Fold best_of = fold_of(node, node.reduction);
    Func best = fold(node, best_of);
    bound(best, id);
    const NodeId x = node.operands[0];
    Fold first;
    first.carried = DType::int64;
    first.identity = largest(DType::int64);
    first.combine = [](const Value& a, const Value& b) { return lowering::select(b < a, b, a); };
    first.term = [&, x](const Place& place) {
        Expr position = 0;
        std::vector<Expr> kept;
        for (int d = 0; d < static_cast<int>(place->size()); ++d) {
            if (is_reduced(node, d))
                position = position * extent(x, d) + (*place)[d];
            else
                kept.insert(kept.begin(), (*place)[d]);
        }
        const Value winner = stored_value(best, kept, best_of.carried), value = best_of.term(place);
        Value is_winner = value == winner || (lowering::is_nan(value) && lowering::is_nan(winner));
        if (node.operands[1] != no_node)
            is_winner =
                is_winner && at(node.operands[1], seen_from(node.operands[1], graph_[x].shape, place));
        return lowering::select(is_winner, {Halide::cast<std::int64_t>(position)}, first.identity);
    };
    Func found = fold(node, first), result("position");
    const auto variables = NestLowerer::variables(node.shape);
    bound(found, id);
    const Expr at = found(std::vector<Expr>(variables.begin(), variables.end()));
    result(variables) = Halide::select(at == first.identity.expr, Halide::cast<std::int64_t>(0), at);
    return {result, DType::int64};
}

Func NestLowerer::fold(const Node& node, const Fold& how) {
    const int rank = static_cast<int>(graph_[node.operands[0]].shape.size());
    const bool is_along_rows = rank > 0 && is_reduced(node, rank - 1);
    return is_along_rows ? fold_rows(node, how) : fold_columns(node, how);
}

namespace {

/// The index of an operand whose reduced dimensions run over `reduced`, in their order, and the others over
/// variables.
Place operand_place(const Node& node, int rank, const std::vector<Var>& variables,
                    const std::vector<Expr>& reduced) {
    Index index;
    std::size_t kept = variables.size(), next = 0;
    for (int d = 0; d < rank; ++d) index.push_back(is_reduced(node, d) ? reduced[next++] : variables[--kept]);
    return std::make_shared<const Index>(std::move(index));
}

std::vector<Expr> as_exprs(const std::vector<Var>& variables) { return {variables.begin(), variables.end()}; }

}  // namespace

/// The last dimension stays: its elements are the lanes.
Func NestLowerer::fold_columns(const Node& node, const Fold& how) {
    const NodeId x = node.operands[0];
    const int rank = static_cast<int>(graph_[x].shape.size());
    const auto variables = NestLowerer::variables(node.shape);
    Func func("fold");
    func(variables) = lowering::to_memory(how.identity);
    Halide::Region region;
    for (auto dim = node.attributes.rbegin(); dim != node.attributes.rend(); ++dim)
        region.emplace_back(0, extent(x, static_cast<int>(*dim)));
    std::vector<Expr> reduced;
    if (!region.empty()) {
        const RDom over(region);
        for (int i = over.dimensions(); i-- > 0;) reduced.emplace_back(over[i]);
        accumulate(func, as_exprs(variables), how, how.term(operand_place(node, rank, variables, reduced)));
    } else {
        accumulate(func, as_exprs(variables), how, how.term(operand_place(node, rank, variables, {})));
    }
    vectorize_columns(func.update(), variables);
    return func;
}

/// The last dimension goes: lanes take every so many elements of it, are put together, and then the rest.
Func NestLowerer::fold_rows(const Node& node, const Fold& how) {
    const NodeId x = node.operands[0];
    const int rank = static_cast<int>(graph_[x].shape.size());
    const auto variables = NestLowerer::variables(node.shape);
    const Expr row = extent(x, rank - 1);
    const auto region = [&](const Expr& last) {
        Halide::Region region{{0, last}};
        for (auto dim = node.attributes.rbegin() + 1; dim != node.attributes.rend(); ++dim)
            region.emplace_back(0, extent(x, static_cast<int>(*dim)));
        return RDom(region);
    };
    const auto place = [&](const RDom& over, const Expr& last) {
        std::vector<Expr> reduced;
        for (int i = over.dimensions(); i-- > 1;) reduced.emplace_back(over[i]);
        reduced.push_back(last);
        return operand_place(node, rank, variables, reduced);
    };
    const Var lane("lane_");
    Func partial("partial"), func("fold");
    std::vector<Var> with_lane{lane};
    with_lane.insert(with_lane.end(), variables.begin(), variables.end());
    partial(with_lane) = lowering::to_memory(how.identity);
    const RDom chunks = region(row / lanes);
    accumulate(partial, as_exprs(with_lane), how, how.term(place(chunks, chunks[0] * lanes + lane)));
    partial.bound(lane, 0, lanes).vectorize(lane);
    partial.update().vectorize(lane);

    func(variables) = lowering::to_memory(how.identity);
    const RDom all(0, lanes);
    std::vector<Expr> of_lane{all};
    for (const Var& variable : variables) of_lane.emplace_back(variable);
    accumulate(func, as_exprs(variables), how, stored_value(partial, of_lane, how.carried));
    const RDom rest = region(row % lanes);
    accumulate(func, as_exprs(variables), how, how.term(place(rest, row / lanes * lanes + rest[0])));
    if (variables.empty())
        partial.compute_root();
    else
        partial.compute_at(func, variables[0]);
    return func;
}

NestLowerer::Stored NestLowerer::scan(NodeId id, const Node& node) {
    const Fold how = fold_of(node, node.reduction);
    const auto variables = NestLowerer::variables(node.shape);
    const auto dim = static_cast<int>(node.attributes[0]);
    Func func("scan");
    func(variables) = Halide::undef(lowering::memory_type(how.carried));
    const RDom along(0, extent(id, dim));
    Index here = *pure(node.shape), before;
    here[dim] = along[0];
    before = here;
    before[dim] = Halide::max(along[0] - 1, 0);
    const std::vector<Expr> at(here.rbegin(), here.rend()), previous(before.rbegin(), before.rend());
    const Value total =
        lowering::select({along[0] == 0}, how.identity, stored_value(func, previous, how.carried));
    const Value term = how.term(std::make_shared<const Index>(std::move(here)));
    func(at) = lowering::to_memory(how.combine(total, term));
    return {func, how.carried};
}

NestLowerer::Stored NestLowerer::scatter(NodeId id, const Node& node) {
    Fold how = fold_of(node, node.reduction);
    const NodeId x = node.operands[0];
    const Shape& from = graph_[x].shape;
    const auto variables = NestLowerer::variables(node.shape);
    Func func("scatter");
    func(variables) = lowering::to_memory(how.identity);
    Halide::Region region;
    for (int d = static_cast<int>(from.size()); d-- > 0;) region.emplace_back(0, extent(x, d));
    Index source;
    std::optional<RDom> over;
    if (!region.empty()) over.emplace(region);
    for (std::size_t d = 0; d < from.size(); ++d)
        source.emplace_back((*over)[static_cast<int>(from.size() - 1 - d)]);
    const Place place = std::make_shared<const Index>(source);
    std::vector<Expr> target;
    for (int d = 0; d < static_cast<int>(node.shape.size()); ++d) {
        Expr at = 0;
        if (node.kind == NodeKind::unview) {
            at = offset(id, d);
            for (std::size_t j = 0; j < from.size(); ++j)
                at = at + source[j] * static_cast<int>(node.attributes[d * from.size() + j]);
        } else if (const auto k = static_cast<int>(node.attributes[d]); k >= 0) {
            at = source[k];
        } else {
            const NodeId index = node.operands[1 - k];
            at = Halide::cast<int>(read(index, DType::int64, seen_from(index, from, place)).expr);
        }
        target.insert(target.begin(), Halide::max(Halide::min(at, extent(id, d) - 1), 0));
    }
    accumulate(func, target, how, how.term(place));
    return {func, how.carried};
}

}  // namespace frisket
