// SPDX-License-Identifier: MIT
#include <Halide.h>

#include <algorithm>
#include <limits>

#include "../../ir/ops/meanings.hpp"
#include "../../ir/shown_elements.hpp"
#include "../limits.hpp"
#include "expression_lowerer.hpp"

/// Funcs of their own: reductions and scatters.
namespace frisket::codegen {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::Var;
using lowering::Value;

namespace {

/// float32 is carried in float64.
/// True if a view that is scattered back has each of its elements at a place of its own.
bool is_scattered_apart(const Node& node, const Shape& from) {
    if (node.kind != NodeKind::scatter_view) return false;
    std::vector<int> of_source(from.size(), 0);
    for (std::size_t d = 0; d < node.shape.size(); ++d) {
        int sources = 0;
        for (std::size_t j = 0; j < from.size(); ++j) {
            if (node.attributes[d * from.size() + j] == 0 || from[j] == 1) continue;
            ++sources;
            ++of_source[j];
        }
        if (sources > 1) return false;
    }
    for (std::size_t j = 0; j < from.size(); ++j)
        if (of_source[j] == 0 && from[j] != 1) return false;
    return true;
}

/// True for a variable of a domain.
bool is_of(const std::optional<RDom>& over, const Expr& variable) {
    for (int i = 0; over && i < over->dimensions(); ++i)
        if (Halide::Internal::expr_uses_var(variable, (*over)[i].name())) return true;
    return false;
}

DType carried_dtype(DType dtype) { return dtype == DType::float32 ? DType::float64 : dtype; }

Value largest(DType dtype) {
    if (info_of(dtype).is_float) return lowering::constant(std::numeric_limits<double>::infinity(), dtype);
    return {lowering::expr_type(dtype).max()};
}

Value smallest(DType dtype) {
    if (info_of(dtype).is_float) return lowering::constant(-std::numeric_limits<double>::infinity(), dtype);
    return {lowering::expr_type(dtype).min()};
}

}  // namespace

const ExpressionLowerer::Stored& ExpressionLowerer::stored(NodeId id) {
    if (const auto known = stored_.find(id); known != stored_.end()) return known->second;
    const Node& node = graph_[id];
    Stored made;
    if (ReductionGroups::takes(node)) {
        reduce(id);
        return stored_.at(id);
    }
    if (!info_of(node.kind).accumulates) return stored_.emplace(id, keep(id, node)).first->second;
    if (node.kind == NodeKind::scan) return stored_.emplace(id, scan(id, node)).first->second;
    made = is_scatter(node.kind) ? scatter(id, node)
           : is_product(node)    ? contraction(id, node)
                                 : position(id, node);
    bound(made.func, id);
    return stored_.emplace(id, made).first->second;
}

/// Bounds the Func: the extents of the node, but at least one element in each dimension; by rows, the extents
/// of a row.  Loops that join, move or add up read empty tensors at 0 too: to Halide, a proof of a first
/// element.
void ExpressionLowerer::bound(Func& func, NodeId id) {
    const auto variables = ExpressionLowerer::variables(graph_[id].shape);
    const int rank = static_cast<int>(variables.size());
    const bool is_of_row = rows_.contains(id) && !on_device_;
    for (int i = 0; i < (is_of_row ? rank - rows_.rank() : rank); ++i)
        func.bound(variables[i], 0, Halide::max(extent(id, rank - 1 - i), 1));
    if (is_of_row)
        row_funcs_.push_back(func);
    else
        func.compute_root();
}

/// Elements that are computed once.
ExpressionLowerer::Stored ExpressionLowerer::keep(NodeId id, const Node& node) {
    Func func("kept");
    kinds_.add(LoopKind::stored);
    if (is_joined_apart(id)) {
        const Joined joined{id, node.dtype};
        join(func, {&joined, 1});
        bound(func, id);
        return {func, 0, node.dtype};
    }
    const auto variables = ExpressionLowerer::variables(node.shape);
    func(variables) = lowering::to_memory(make(id, pure(node.shape)), node.dtype);
    bound(func, id);
    if (!rows_.contains(id))
        schedule_elementwise(func, id);
    else if (static_cast<int>(node.shape.size()) > rows_.rank() && has_vectors(node.shape))
        func.vectorize(variables[0], form_.lanes, Halide::TailStrategy::GuardWithIf);
    return {func, 0, node.dtype};
}

Accumulation ExpressionLowerer::fold_of(const Node& node, Reduction reduction) {
    const NodeId x = node.operands[0], mask = node.operands[1];
    const DType dtype = operand_dtype(graph_, node, 0);
    Accumulation fold;
    fold.carried = dtype;
    switch (reduction) {
        case Reduction::sum:
        case Reduction::contract:
        case Reduction::prod: {
            const bool is_sum = reduction != Reduction::prod;
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
            fold.combine = [](const Value& a, const Value& b) {
                return op::Meaning<op::Minimum>::eval(a, b);
            };
            break;
        case Reduction::amax:
        case Reduction::argmax:
            fold.identity = smallest(dtype);
            fold.combine = [](const Value& a, const Value& b) {
                return op::Meaning<op::Maximum>::eval(a, b);
            };
            break;
    }
    const Shape shape = reduced_shape(graph_, node);
    const NodeId y = is_product(node) ? node.operands[2] : no_node;
    fold.value = [this, x, y, shape, dtype, carried = fold.carried](const IndexTuple& place) {
        const auto factor = [&](NodeId id) { return read(id, dtype, broadcast_index(id, shape, place)); };
        return lowering::convert(y == no_node ? factor(x) : factor(x) * factor(y), carried);
    };
    if (mask != no_node)
        fold.specified = [this, mask, shape](const IndexTuple& place) {
            return at(mask, broadcast_index(mask, shape, place));
        };
    // Chosen before it is widened, an element takes half of the vectors; AVX-512 adds under masks instead.
    constexpr int lanes_without_masks = 8;
    const bool is_chosen_first = reduction == Reduction::sum && info_of(dtype).is_float;
    if (mask != no_node && is_chosen_first && form_.lanes <= lanes_without_masks)
        fold.addend = [this, x, mask, shape, dtype, carried = fold.carried](const IndexTuple& place) {
            const Value value = read(x, dtype, broadcast_index(x, shape, place));
            const Value counts = at(mask, broadcast_index(mask, shape, place));
            return lowering::convert({lowering::kept_where(counts.expr, value.expr)}, carried);
        };
    return fold;
}

ReductionLoops ExpressionLowerer::loops_of(NodeId id) {
    const Node& node = graph_[id];
    const Shape shape = reduced_shape(graph_, node);
    ReductionLoops loops{.kept = variables(node.shape),
                         .lanes = form_.lanes,
                         .parallel = form_.parallel && !rows_.contains(id),
                         .on_device = on_device_};
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
        loops.extents.push_back(extent_of_terms(node, shape, dim));
        loops.reduced.push_back(ir::reduces(node, dim));
    }
    return loops;
}

/// An extent of the reduced tensor: the extent of a factor which does not repeat it.
Expr ExpressionLowerer::extent_of_terms(const Node& node, const Shape& shape, std::size_t dim) {
    for (const NodeId x : node.operands) {
        if (x == no_node) continue;
        const std::size_t added = shape.size() - graph_[x].shape.size();
        if (dim >= added && graph_[x].shape[dim - added] == shape[dim])
            return extent(x, static_cast<int>(dim - added));
    }
    return 1;
}

Func ExpressionLowerer::folded(const ReductionLoops& loops, const std::vector<Accumulation>& folds) {
    kinds_.add(kind_of(loops));
    return fold(loops, folds);
}

/// All reductions of a group at once.
void ExpressionLowerer::reduce(NodeId id) {
    const std::vector<NodeId>& members = groups_.of(id);
    std::vector<Accumulation> folds;
    for (const NodeId member : members) folds.push_back(fold_of(graph_[member], graph_[member].reduction));
    Func func = folded(loops_of(id), folds);
    bound(func, id);
    for (std::size_t i = 0; i < members.size(); ++i)
        stored_[members[i]] = {func, static_cast<int>(i), folds[i].carried};
}

Expr ExpressionLowerer::load(const Stored& stored, const IndexTuple& place) const {
    return component(stored.func, {place->rbegin(), place->rend()}, stored.component);
}

// The best value first, then the first position that has it: no loop carries both.
ExpressionLowerer::Stored ExpressionLowerer::position(NodeId id, const Node& node) {
    const Accumulation best_of = fold_of(node, node.reduction);
    const ReductionLoops loops = loops_of(id);
    Func best = folded(loops, {best_of});
    kinds_.add(LoopKind::positions);
    bound(best, id);
    const NodeId x = node.operands[0];
    Accumulation first;
    // An extent has 32 bits, a product of some may have more.
    const bool is_short = node.attributes.size() == 1;
    first.carried = is_short ? DType::int32 : DType::int64;
    first.identity = largest(first.carried);
    first.combine = [](const Value& a, const Value& b) { return lowering::select(b < a, b, a); };
    first.value = [&, x](const IndexTuple& place) {
        Expr position = Halide::cast(lowering::expr_type(first.carried), 0);
        std::vector<Expr> kept;
        for (int d = 0; d < static_cast<int>(place->size()); ++d) {
            if (ir::reduces(node, static_cast<std::size_t>(d)))
                position = position * extent(x, d) + (*place)[d];
            else
                kept.insert(kept.begin(), (*place)[d]);
        }
        const Value winner = lowering::from_memory(component(best, kept, 0), best_of.carried),
                    value = best_of.term(place);
        Value is_winner = value == winner || (lowering::is_nan(value) && lowering::is_nan(winner));
        if (node.operands[1] != no_node)
            is_winner =
                is_winner && at(node.operands[1], broadcast_index(node.operands[1], graph_[x].shape, place));
        return lowering::select(is_winner, {lowering::unsolved(position)}, first.identity);
    };
    Func found = folded(loops, {first}), result("position");
    const auto variables = ExpressionLowerer::variables(node.shape);
    bound(found, id);
    const Expr at = found(std::vector<Expr>(variables.begin(), variables.end()));
    const Expr none = Halide::cast(at.type(), 0);
    result(variables) = Halide::cast<std::int64_t>(Halide::select(at == first.identity.expr, none, at));
    return {result, 0, DType::int64};
}

ExpressionLowerer::Stored ExpressionLowerer::scatter(NodeId id, const Node& node) {
    Accumulation how = fold_of(node, node.reduction);
    const NodeId x = node.operands[0];
    const Shape& from = graph_[x].shape;
    const auto variables = ExpressionLowerer::variables(node.shape);
    Func func("scatter");
    kinds_.add(LoopKind::scatter);
    func(variables) = lowering::to_memory(how.identity, how.carried);
    // Elements along a dimension that stays go to different indices, each to a thread of a device.
    Index source(from.size());
    if (on_device_ && node.kind == NodeKind::scatter) {
        for (std::size_t d = 0; d < node.shape.size(); ++d)
            if (const auto k = node.attributes[d]; k >= 0 && std::ranges::count(node.attributes, k) == 1 &&
                                                   extents_.key(x)[k] == extents_.key(id)[d])
                source[static_cast<std::size_t>(k)] = (*pure(node.shape))[d];
    }
    Halide::Region region;
    for (int d = static_cast<int>(from.size()); d-- > 0;)
        if (!source[static_cast<std::size_t>(d)].defined()) region.emplace_back(0, extent(x, d));
    std::optional<RDom> over;
    if (!region.empty()) over.emplace(region);
    int next = over ? over->dimensions() : 0;
    for (Expr& at : source)
        if (!at.defined()) at = (*over)[--next];
    const IndexTuple place = std::make_shared<const Index>(source);
    std::vector<Expr> target;
    for (int d = 0; d < static_cast<int>(node.shape.size()); ++d) {
        Expr at = 0;
        bool stays = false;
        if (node.kind == NodeKind::scatter_view) {
            if (!node.offsets.empty()) at = offset(id, d);
            for (std::size_t j = 0; j < from.size(); ++j) at = at + source[j] * step(id, d * from.size() + j);
        } else if (const auto k = static_cast<int>(node.attributes[d]); k >= 0) {
            at = source[k];
            stays = !is_of(over, at);
        } else {
            const NodeId index = node.operands[1 - k];
            at = Halide::cast<int>(read(index, DType::int64, broadcast_index(index, from, place)).expr);
        }
        target.insert(target.begin(), stays ? at : Halide::max(Halide::min(at, extent(id, d) - 1), 0));
    }
    const Value total = lowering::from_memory(func(target), how.carried);
    Value term = how.term(place);
    if (over) term = in_all_of(*over, target, term, how.identity);
    func(target) = lowering::to_memory(how.combine(total, term), how.carried);
    if (on_device_ && over && is_scattered_apart(node, from)) func.update().allow_race_conditions();
    return {func, 0, how.carried};
}

}  // namespace frisket::codegen
