// SPDX-License-Identifier: MIT
// Defines the number type that turns derivatives of operations into graph instructions.
#pragma once
#include "value.hpp"

#include <concepts>
#include <string>
#include <string_view>

/// Type with which rows of the table of operations are instantiated to return their derivatives as
/// instructions: operators and functions of the table, found by argument lookup, with terms and numbers of
/// the source as operands.
namespace frisket::ir::terms {

/// An elementwise value without a mask.
struct Term { Value value; };

/// A term or a number, of which one is a term.
template <class A, class B>
concept Mix = (std::same_as<A, Term> && (std::same_as<B, Term> || std::is_arithmetic_v<B>)) ||
              (std::same_as<B, Term> && std::is_arithmetic_v<A>);

inline GraphBuilder& graph_of(Term a, auto /*b*/) { return *a.value.graph; }
template <class A>
    requires std::is_arithmetic_v<A>
GraphBuilder& graph_of(A /*a*/, Term b) {
    return *b.value.graph;
}

inline Term in(GraphBuilder& /*graph*/, Term term) { return term; }
template <class Number>
    requires std::is_arithmetic_v<Number>
Term in(GraphBuilder& graph, Number number) {
    return {ir::number(graph, static_cast<double>(number))};
}

template <class Op>
Term unary(Term x) {
    return {apply<Op>({x.value})};
}
template <class Op, class A, class B>
Term binary(A a, B b) {
    GraphBuilder& graph = graph_of(a, b);
    return {apply<Op>({in(graph, a).value, in(graph, b).value})};
}

template <class A, class B>
    requires Mix<A, B>
Term operator+(A a, B b) {
    return binary<op::Add>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term operator-(A a, B b) {
    return binary<op::Sub>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term operator*(A a, B b) {
    return binary<op::Mul>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term operator/(A a, B b) {
    return binary<op::Div>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term operator==(A a, B b) {
    return binary<op::Eq>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term operator<(A a, B b) {
    return binary<op::Lt>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term operator<=(A a, B b) {
    return binary<op::Le>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term operator>(A a, B b) {
    return binary<op::Gt>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term operator>=(A a, B b) {
    return binary<op::Ge>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term pow(A a, B b) {
    return binary<op::Pow>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term hypot(A a, B b) {
    return binary<op::Hypot>(a, b);
}
template <class A, class B>
    requires Mix<A, B>
Term direction(A a, B b) {
    return binary<op::Direction>(a, b);
}
template <class N>
    requires Mix<N, Term>
Term zeta(N n, Term x) {
    return binary<op::Zeta>(n, x);
}
template <class N>
    requires Mix<N, Term>
Term spherical_bessel(N n, Term x) {
    return binary<op::SphericalBessel>(n, x);
}
template <class N>
    requires Mix<N, Term>
Term bessel_i(N n, Term x) {
    return binary<op::BesselI>(n, x);
}
inline Term operator&&(Term a, Term b) { return binary<op::LogicalAnd>(a, b); }
inline Term operator-(Term x) { return unary<op::Neg>(x); }
inline Term abs(Term x) { return unary<op::Abs>(x); }
inline Term sign(Term x) { return unary<op::Sign>(x); }
inline Term sqrt(Term x) { return unary<op::Sqrt>(x); }
inline Term exp(Term x) { return unary<op::Exp>(x); }
inline Term log(Term x) { return unary<op::Log>(x); }
inline Term sin(Term x) { return unary<op::Sin>(x); }
inline Term cos(Term x) { return unary<op::Cos>(x); }
inline Term sinh(Term x) { return unary<op::Sinh>(x); }
inline Term cosh(Term x) { return unary<op::Cosh>(x); }
inline Term round(Term x) { return unary<op::Round>(x); }
inline Term digamma(Term x) { return unary<op::Digamma>(x); }
inline Term trigamma(Term x) { return unary<op::Trigamma>(x); }
inline Term i0(Term x) { return unary<op::I0>(x); }
inline Term i1(Term x) { return unary<op::I1>(x); }
inline Term sigmoid(Term x) { return unary<op::Sigmoid>(x); }
inline Term tanh(Term x) { return unary<op::Tanh>(x); }
inline Term sech(Term x) { return unary<op::Sech>(x); }
inline Term zero(Term x) { return unary<op::Zero>(x); }
/// 0 whose gradient reaches the operands that are no host scalars.
inline Term zero(Term a, Term b) {
    if (a.value.node().is_host_scalar) return zero(b);
    return zero(b.value.node().is_host_scalar ? a : a + b);
}
inline Term is_inf(Term x) { return unary<op::Isinf>(x); }

/// True for a number of the source that is not 0.
inline bool is_never_zero(Term x) {
    const Node& node = x.value.node();
    return node.kind == NodeKind::constant && node.constant != 0;
}

/// The order of the derivative of a function of order `n`, a number of the source.
/// Errors: ValueError if it is above `most`: derivatives of `function` of this order have no formula.
inline Term next_order(Term n, int most, std::string_view function) {
    const Node& node = n.value.node();
    if (node.kind != NodeKind::constant) return n + 1.0;
    GraphBuilder& graph = *n.value.graph;
    if (node.constant >= most)
        graph.fail(ErrorCode::value, "gradient: there is no formula for derivatives of " +
                                         std::string(function) + " of an order above " +
                                         std::to_string(most) + ": take fewer gradients of gradients");
    return in(graph, node.constant + 1);
}

/// x where the condition is true, else y; terms or numbers.  Both have gradients everywhere: a branch that is
/// not taken gets 0, and must be finite.
Term select(Term condition, auto x, auto y) {
    GraphBuilder& graph = *condition.value.graph;
    return {choose(condition.value, in(graph, x).value, in(graph, y).value)};
}

}  // namespace frisket::ir::terms
