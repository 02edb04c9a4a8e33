// SPDX-License-Identifier: MIT
// Defines the nodes of expressions, which hold their operands by value.
#pragma once
#include "../runtime/tensor/error.hpp"
#include "../runtime/tensor/shape.hpp"
#include "diagnose.hpp"
#include "expr_type.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace frisket {

class StepChecker;

/// Names by which a step reads a parameter and its gradient where another applies it to one.
namespace rule_symbol {
inline constexpr std::string_view param = "param", grad = "grad";
}  // namespace rule_symbol

/// The name of a symbol of a rule in the step that applies the rule.
struct RenamedSymbol { std::string_view from, to; };

/// The name that a symbol has among some that are renamed: its own if it is none of them.
constexpr std::string_view renamed(std::span<const RenamedSymbol> names, std::string_view name) {
    const auto known = std::ranges::find(names, name, &RenamedSymbol::from);
    return known == names.end() ? name : known->to;
}

/// An actual tensor in an expression: a handle, which shares its memory.  Elements of storage dtypes are read
/// in the dtype to which they are widened.
template <class Handle>
struct Leaf {
    static constexpr int leaves = 1;
    static constexpr ExprType expr_type = [] {
        ExprType found{.category = DenseTensor<Handle> ? ExprCategory::dense : ExprCategory::masked,
                       .type = {.dtype = compute_dtype(dtype_of<typename Handle::Element>)}};
        found.has_tensors = true;
        return found;
    }();
    static constexpr ExprType check(StepChecker& /*step*/) { return expr_type; }
    Handle tensor;
};

}  // namespace frisket

/// Nodes of an expression: aggregates that hold their operands by value.  Symbols are the leaves.
namespace frisket {

class StepChecker;

/// A number of the source, a host scalar of double or int64.
template <class T>
struct Constant {
    static constexpr int leaves = 0;
    static constexpr ExprType expr_type{.type = {.dtype = dtype_of<T>, .is_host_scalar = true},
                                        .is_constant = true};
    static constexpr ExprType check(StepChecker& /*step*/) { return expr_type; }
    T value;
};

template <class Op, class A>
struct Unary : Subscripts<Unary<Op, A>> {
    using Operation = Op;
    static constexpr int leaves = A::leaves;
    static constexpr ExprType expr_type = type_rules::check_op<Op>({A::expr_type});
    static constexpr ExprType check(StepChecker& step) { return type_rules::check_op<Op>({A::check(step)}); }
    [[no_unique_address]] A a;
};

template <class Op, class A, class B>
struct Binary : Subscripts<Binary<Op, A, B>> {
    using Operation = Op;
    static constexpr int leaves = A::leaves + B::leaves;
    static constexpr ExprType expr_type = type_rules::check_op<Op>({A::expr_type, B::expr_type});
    static constexpr ExprType check(StepChecker& step) {
        return type_rules::check_op<Op>({A::check(step), B::check(step)});
    }
    [[no_unique_address]] A a;
    [[no_unique_address]] B b;
};

template <class Op, class A, class B, class C>
struct Ternary : Subscripts<Ternary<Op, A, B, C>> {
    using Operation = Op;
    static constexpr int leaves = A::leaves + B::leaves + C::leaves;
    static constexpr ExprType expr_type =
        type_rules::check_op<Op>({A::expr_type, B::expr_type, C::expr_type});
    static constexpr ExprType check(StepChecker& step) {
        return type_rules::check_op<Op>({A::check(step), B::check(step), C::check(step)});
    }
    [[no_unique_address]] A a;
    [[no_unique_address]] B b;
    [[no_unique_address]] C c;
};

namespace detail {

/// The fault of an operand, if it has one.
template <class T>
consteval DiagnosticId operand_fault() {
    if (is_refused<T>) return DiagnosticId::already_reported;
    if (SomeExpression<T> || TypedTensor<T> || Number<T>) return DiagnosticId::none;
    if (std::is_same_v<T, bool>) return DiagnosticId::bool_constant;
    if (Character<T>) return DiagnosticId::char_constant;
    if (SomeTensor<std::remove_cvref_t<std::remove_pointer_t<T>>>)
        return std::is_pointer_v<T> ? DiagnosticId::pointer_operand : DiagnosticId::untyped_tensor;
    return DiagnosticId::other_operand;
}

/// An expression as it is, a tensor as a leaf, a number as a constant.
template <class T>
constexpr auto operand(const T& value) {
    if constexpr (operand_fault<T>() != DiagnosticId::none) {
        return ErrorExpr{};
    } else if constexpr (SomeExpression<T>) {
        return value;
    } else if constexpr (TypedTensor<T>) {
        return Leaf<T>{value};
    } else if constexpr (std::is_floating_point_v<T>) {
        return Constant<double>{static_cast<double>(value)};
    } else {
        if (!std::in_range<std::int64_t>(value))
            throw ValueError("a constant of 2^63 or more: write it as a double");
        return Constant<std::int64_t>{static_cast<std::int64_t>(value)};
    }
}
template <class T>
using Operand = std::remove_cvref_t<decltype(operand(std::declval<const T&>()))>;

/// Calls `see` with each operand of an expression, in the order of the source.
template <class Node>
constexpr void for_each_operand(const Node& node, const auto& see) {
    if constexpr (requires { std::tuple_size<decltype(node.parts)>::value; }) {
        std::apply([&](const auto&... part) { (see(part.a), ...); }, node.parts);
    } else if constexpr (requires { node.parts; }) {
        for (const auto& part : node.parts) see(part);
    } else {
        if constexpr (requires { node.a; }) see(node.a);
        if constexpr (requires { node.b; }) see(node.b);
        if constexpr (requires { node.c; }) see(node.c);
    }
}

/// The result of a function whose Node is wrong: the fault of its first operand that has one, or its own.
template <class Node>
consteval auto refused_node() {
    return std::type_identity<Refused<Node::expr_type.fault, Node>>{};
}
template <class Node, class First, class... Rest>
consteval auto refused_node() {
    if constexpr (is_refused<First>)
        return std::type_identity<First>{};
    else if constexpr (operand_fault<First>() != DiagnosticId::none)
        return std::type_identity<Refused<operand_fault<First>(), First>>{};
    else
        return refused_node<Node, Rest...>();
}

/// The result of a function that makes Node of operands A.
template <class Node, class... A>
struct CheckedNode {
    using Type = Node;
};
template <class Node, class... A>
    requires(Node::expr_type.category == ExprCategory::error)
struct CheckedNode<Node, A...> {
    using Type = typename decltype(refused_node<Node, A...>())::type;
};

template <class Op, class A>
using UnaryOf = typename CheckedNode<Unary<Op, Operand<A>>, A>::Type;
template <class Op, class A, class B>
using BinaryOf = typename CheckedNode<Binary<Op, Operand<A>, Operand<B>>, A, B>::Type;
template <class Op, class A, class B, class C>
using TernaryOf = typename CheckedNode<Ternary<Op, Operand<A>, Operand<B>, Operand<C>>, A, B, C>::Type;

/// The node, or ErrorExpr: results of functions take either, and say what is wrong.
template <class Made>
constexpr auto checked(Made node) {
    if constexpr (Made::expr_type.category == ExprCategory::error)
        return ErrorExpr{};
    else
        return node;
}

template <class Op, class A>
constexpr auto unary(const A& a) {
    return checked(Unary<Op, Operand<A>>{{}, operand(a)});
}
template <class Op, class A, class B>
constexpr auto binary(const A& a, const B& b) {
    return checked(Binary<Op, Operand<A>, Operand<B>>{{}, operand(a), operand(b)});
}
template <class Op, class A, class B, class C>
constexpr auto ternary(const A& a, const B& b, const C& c) {
    return checked(Ternary<Op, Operand<A>, Operand<B>, Operand<C>>{{}, operand(a), operand(b), operand(c)});
}

}  // namespace detail

}  // namespace frisket
