// SPDX-License-Identifier: MIT
#include <Halide.h>

#include <algorithm>

#include "../limits.hpp"
#include "expression_lowerer.hpp"

/// Joined tensors: a loop for each of them, where one loop would ask of each element which tensor it is of.
namespace frisket::codegen {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::RVar;
using Halide::Var;

/// True for a cat() whose parts may each have a loop.
bool ExpressionLowerer::is_joined_apart(NodeId id) const {
    const Node& node = graph_[id];
    if (on_device_ || node.kind != NodeKind::cat || node.operands.size() > limits::most_joined) return false;
    return std::ranges::any_of(node.operands, [&](NodeId part) { return has_vectors(graph_[part].shape); });
}

/// True for a cat() along the last dimension.  One loop over it would gather: the lanes of a vector read
/// several parts.
bool ExpressionLowerer::is_joined_in_rows(NodeId id) const {
    return is_joined_apart(id) && graph_[id].attributes[0] + 1 == std::ssize(graph_[id].shape);
}

/// True if two cat() nodes join along one dimension, and their parts have the same shapes.
bool ExpressionLowerer::are_joined_alike(NodeId id, NodeId other) const {
    const Node &a = graph_[id], &b = graph_[other];
    return a.kind == b.kind && a.attributes == b.attributes &&
           std::ranges::equal(a.operands, b.operands,
                              [&](NodeId x, NodeId y) { return graph_[x].shape == graph_[y].shape; });
}

/// True if the loop of a result joins it, and its mask: along the last dimension, or if parts are computed.
/// One loop would compute each element of all parts.
bool ExpressionLowerer::is_result_joined(NodeId id, bool has_mask) const {
    const bool is_computed =
        is_joined_apart(id) && std::ranges::any_of(graph_[id].operands, [&](NodeId part) {
            return graph_[part].kind != NodeKind::symbol;
        });
    return (is_computed || is_joined_in_rows(id)) && (!has_mask || are_joined_alike(id, graph_[id].mask));
}

/// Defines a Func by the operands of nodes that are joined the same way, each in memory of its dtype.
void ExpressionLowerer::join(Func& func, std::span<const Joined> nodes) {
    const Node& node = graph_[nodes[0].id];
    const auto variables = ExpressionLowerer::variables(node.shape);
    const auto dim = static_cast<std::size_t>(node.attributes[0]), own = variables.size() - 1 - dim;
    kinds_.add(LoopKind::joined);
    Expr begin = 0;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
        const NodeId part = node.operands[i];
        const Expr length = extent(part, static_cast<int>(dim));
        const RDom along(0, length);
        Index place = *pure(node.shape);
        place[dim] = along.x;
        const auto there = std::make_shared<const Index>(std::move(place));
        std::vector<Expr> values, none;
        for (const auto& [id, dtype] : nodes) {
            const lowering::Value value = read(graph_[id].operands[i], graph_[id].dtype, there);
            values.push_back(lowering::to_memory(lowering::convert(value, compute_dtype(dtype)), dtype));
            none.push_back(Halide::undef(values.back().type()));
        }
        if (i == 0) func(variables) = Halide::Tuple(none);
        std::vector<Expr> at(variables.begin(), variables.end());
        at[own] = begin + along.x;
        func(at) = Halide::Tuple(values);
        schedule_part(func.update(static_cast<int>(i)), part, own, along.x, rows_.contains(nodes[0].id));
        begin = begin + length;
    }
}

/// Vectors and, unless it is one of rows, threads for the loop over a part.
void ExpressionLowerer::schedule_part(Halide::Stage loop, NodeId part, std::size_t own, const RVar& along,
                                      bool is_of_row) {
    const auto guard = Halide::TailStrategy::GuardWithIf;
    const auto variables = ExpressionLowerer::variables(graph_[part].shape);
    std::vector<Halide::VarOrRVar> order(variables.begin(), variables.end());
    order[own] = along;
    loop.reorder(order);
    if (form_.parallel && !is_of_row) {
        const int grain =
            form_.schedule.grain != 0 ? form_.schedule.grain : limits::task_vectors * form_.lanes;
        Expr inner = 1;
        for (int d = 1; d < static_cast<int>(variables.size()); ++d)
            inner = inner * Halide::max(extent(part, d), 1);
        const Expr outer = Halide::max(grain / inner, 1);
        const bool is_along = own + 1 == variables.size();
        const auto named = [&](const char* name) {
            return is_along ? Halide::VarOrRVar(RVar(name)) : Halide::VarOrRVar(Var(name));
        };
        const Halide::VarOrRVar task = named("task_"), in_task = named("in_task_");
        loop.split(order.back(), task, in_task, outer, guard).parallel(task);
        order.back() = in_task;
    }
    if (has_vectors(graph_[part].shape)) loop.vectorize(order[0], form_.lanes, guard);
}

}  // namespace frisket::codegen
