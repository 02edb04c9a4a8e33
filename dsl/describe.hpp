// SPDX-License-Identifier: MIT
#pragma once
#include "graph.hpp"
#include "step.hpp"

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

/// The seam: types above become a Graph below, instruction by instruction in the order of the source.
namespace frisket {

namespace detail {

inline NodeId emit(GraphBuilder& /*builder*/, const Broken& /*expression*/) { return no_node; }

template <class T>
NodeId emit(GraphBuilder& builder, const Constant<T>& constant) {
    return builder.constant(constant.value);
}

template <Name SymbolName, SymbolKind Kind, class T>
NodeId emit(GraphBuilder& builder, const Named<SymbolName, Kind, T>& /*symbol*/) {
    return builder.symbol(SymbolName.view(), Kind, Named<SymbolName, Kind, T>::dtype);
}

// One operand after the other, in the order of the source: in an argument list the order would be open.
template <class Node>
    requires requires { typename Node::Operation; }
NodeId emit(GraphBuilder& builder, const Node& node) {
    using Op = typename Node::Operation;
    const NodeId a = emit(builder, node.a);
    if constexpr (requires { node.c; }) {
        const NodeId b = emit(builder, node.b);
        const NodeId c = emit(builder, node.c);
        return builder.apply<Op>({a, b, c});
    } else if constexpr (requires { node.b; }) {
        const NodeId b = emit(builder, node.b);
        if constexpr (std::is_same_v<Op, op::On>)
            return builder.on(a, b);
        else if constexpr (std::is_same_v<Op, op::ToDense>)
            return builder.to_dense(a, b);
        else
            return builder.apply<Op>({a, b});
    } else {
        return builder.apply<Op>({a});
    }
}

inline void emit_statement(GraphBuilder& /*builder*/, const Refused& /*statement*/) {}

template <class Target, class Value>
void emit_statement(GraphBuilder& builder, const Assignment<Target, Value>& update,
                    Scope scope = Scope::inferred) {
    builder.symbol(Target::name, Target::symbol_kind, Target::dtype);
    const NodeId value = emit(builder, update.value);
    builder.update(Target::name, value, scope);
}

template <class Said>
void emit_statement(GraphBuilder& builder, const Everywhere<Said>& everywhere) {
    emit_statement(builder, everywhere.update, Scope::everywhere);
}

template <class Target, class Value>
void emit_statement(GraphBuilder& builder, const Definition<Target, Value>& definition) {
    const NodeId value = emit(builder, definition.value);
    builder.let(Target::name, value);
}

template <class Masked>
void emit_statement(GraphBuilder& builder, const Over<Masked>& /*over*/) {
    builder.over(emit(builder, Masked{}));
}

}  // namespace detail

/// A step as data.  Symbols come in order of first appearance; one read after its update means the new value.
/// Errors: GraphBuilder's, for what types cannot say (MaskMismatch of masks that depend on values).
template <class StepName, class... Statements>
Graph describe(const Step<StepName, Statements...>& step) {
    GraphBuilder builder{std::string(StepName::name)};
    [&]<std::size_t... I>(std::index_sequence<I...> /*statements*/) {
        (detail::emit_statement(builder, std::get<I>(step.statements)), ...);
    }(std::index_sequence_for<Statements...>{});
    return builder.finish();
}

}  // namespace frisket
