// SPDX-License-Identifier: MIT
#pragma once
#include "../ir/graph.hpp"
#include "../ir/passes/transforms.hpp"
#include "graph_emitter.hpp"
#include "step.hpp"
#include "tensor_ops.hpp"

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// The seam: types above become a Graph below, instruction by instruction in the order of the source.
namespace frisket {

namespace detail {

inline NodeId emit(GraphEmitter& /*lowering*/, const ErrorExpr& /*expression*/) { return no_node; }

template <class T>
NodeId emit(GraphEmitter& lowering, const Constant<T>& constant) {
    return lowering.graph().constant(constant.value);
}

template <Name SymbolName, SymbolKind Kind, class T>
NodeId emit(GraphEmitter& lowering, const Named<SymbolName, Kind, T>& /*symbol*/) {
    return lowering.symbol(SymbolName.view(), Kind, Named<SymbolName, Kind, T>::dtype);
}

template <class Handle>
NodeId emit(GraphEmitter& lowering, const Leaf<Handle>& leaf) {
    return lowering.leaf(leaf.tensor);
}

inline NodeId emit(GraphEmitter& /*lowering*/, const Variable& variable) { return variable.expr.id; }

template <class T, ExprCategory Category>
NodeId emit(GraphEmitter& lowering, const Held<T, Category>& expression);

template <class Node>
    requires requires { typename Node::WholeOperation; }
NodeId emit(GraphEmitter& lowering, const Node& node);

// One operand after the other, in the order of the source: in an argument list the order would be open.
template <class Node>
    requires requires { typename Node::Operation; }
NodeId emit(GraphEmitter& lowering, const Node& node) {
    using Op = typename Node::Operation;
    const NodeId a = emit(lowering, node.a);
    if constexpr (requires { node.c; }) {
        const NodeId b = emit(lowering, node.b);
        const NodeId c = emit(lowering, node.c);
        return lowering.graph().apply<Op>({a, b, c});
    } else if constexpr (requires { node.b; }) {
        const NodeId b = emit(lowering, node.b);
        if constexpr (std::is_same_v<Op, op::On>)
            return lowering.on(a, b);
        else if constexpr (std::is_same_v<Op, op::ToDense>)
            return lowering.graph().to_dense(a, b);
        else
            return lowering.graph().apply<Op>({a, b});
    } else {
        return lowering.graph().apply<Op>({a});
    }
}

/// An operation on whole tensors over operands that are instructions already.
template <class Op, class... Operands>
NodeId emit_whole(GraphEmitter& lowering, const Op& op, const Operands&... operands) {
    if constexpr (requires { op.lower(lowering, operands...); })
        return op.lower(lowering, operands...).id;
    else
        return op.lower(operands...).id;
}

template <class Node>
    requires requires { typename Node::WholeOperation; }
NodeId emit(GraphEmitter& lowering, const Node& node) {
    GraphBuilder& graph = lowering.graph();
    std::vector<build::Expr> parts;
    for_each_operand(node, [&](const auto& operand) { parts.push_back({&graph, emit(lowering, operand)}); });
    NodeId made = no_node;
    if constexpr (requires { node.parts; })
        made = emit_whole(lowering, node.op, parts);
    else if constexpr (requires { node.b; })
        made = emit_whole(lowering, node.op, parts[0], parts[1]);
    else
        made = emit_whole(lowering, node.op, parts[0]);
    build::note_call(made, Node::WholeOperation::info.name, parts);
    return made;
}

inline void emit_statement(GraphEmitter& /*lowering*/, const ErrorExpr& /*statement*/) {}

template <class Target, class Value>
void emit_statement(GraphEmitter& lowering, const Assignment<Target, Value>& update,
                    Scope scope = Scope::inferred) {
    lowering.symbol(Target::name, Target::symbol_kind, Target::dtype);
    const NodeId value = emit(lowering, update.value);
    lowering.update(Target::name, value, scope);
}

template <class Said>
void emit_statement(GraphEmitter& lowering, const Everywhere<Said>& everywhere) {
    emit_statement(lowering, everywhere.update, Scope::everywhere);
}

template <class Target, class Value>
void emit_statement(GraphEmitter& lowering, const Definition<Target, Value>& definition) {
    const NodeId value = emit(lowering, definition.value);
    lowering.let(Target::name, value);
}

template <class Masked>
void emit_statement(GraphEmitter& lowering, const Over<Masked>& /*over*/) {
    lowering.over(emit(lowering, Masked{}));
}

}  // namespace detail

namespace detail {
/// The statements of a step after those that are there already.
template <class StepName, class... Statements>
void emit_statements(GraphEmitter& lowering, const Step<StepName, Statements...>& step) {
    [&]<std::size_t... I>(std::index_sequence<I...> /*statements*/) {
        (emit_statement(lowering, std::get<I>(step.statements)), ...);
    }(std::index_sequence_for<Statements...>{});
}

template <class StepName, class... Statements>
Graph describe(const Step<StepName, Statements...>& step, std::span<const NamedShape> shapes) {
    GraphBuilder builder{std::string(StepName::name)};
    GraphEmitter lowering(builder, shapes);
    emit_statements(lowering, step);
    return builder.finish();
}
}  // namespace detail

/// A step as data.  Symbols come in order of first appearance; one read after its update means the new value.
/// Errors: GraphBuilder's, for what types cannot say (MaskMismatch of masks that depend on values).
template <class StepName, class... Statements>
Graph describe(const Step<StepName, Statements...>& step) {
    static_assert(!Step<StepName, Statements...>::has_structure,
                  "frisket: a step of whole tensors is made for given shapes: write describe(step, shapes)");
    return detail::describe(step, {});
}

/// The step as data for tensors of given shapes, in the order of the step's parameters; numbers have [].
/// Errors: as above; ShapeError, DimError and IndexError of operations on whole tensors.
template <class StepName, class... Statements>
Graph describe(const Step<StepName, Statements...>& step, std::span<const Shape> shapes) {
    using Described = Step<StepName, Statements...>;
    if (shapes.size() != Described::parameter_count)
        throw BindingError(std::string(StepName::name) + ": " + std::to_string(shapes.size()) +
                           " shapes for " + std::to_string(Described::parameter_count) + " parameters");
    std::vector<NamedShape> named;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const StepSymbol& parameter = Described::parameters[i];
        const bool is_number =
            parameter.kind == SymbolKind::scalar || parameter.kind == SymbolKind::scalar_state;
        if (!is_number) named.push_back({parameter.name, shapes[i]});
    }
    return detail::describe(step, named);
}

/// A step in which what is unspecified is zero; jit() and frisket_add_kernels take it as any other.
template <class S>
struct DenseEquivalent : S {};

/// The step in which unspecified elements of its masked symbols are zero: every element is updated.
template <class StepName, class... Statements>
constexpr auto dense_equivalent(const Step<StepName, Statements...>& step) {
    return DenseEquivalent<Step<StepName, Statements...>>{step};
}

/// The graph of the step after that change.  Errors: those of describe(step).
template <class S>
Graph describe(const DenseEquivalent<S>& step) {
    return dense_equivalent(describe(static_cast<const S&>(step)));
}
/// The graph for these shapes after that change.  Errors: those of describe(step, shapes).
template <class S>
Graph describe(const DenseEquivalent<S>& step, std::span<const Shape> shapes) {
    return dense_equivalent(describe(static_cast<const S&>(step), shapes));
}

/// Steps that `describe` and `jit` accept.
template <class S>
concept SomeStep = requires(const S& step) {
    { S::has_structure } -> std::convertible_to<bool>;
    S::parameters;
    step.statements;
};

}  // namespace frisket
