// SPDX-License-Identifier: MIT
#pragma once
#include "node.hpp"

/// Operators and functions of expressions: what dsl/README.md lists, each one node.
namespace frisket {

template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator+(const A& a, const B& b) {
    return detail::binary<op::Add>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator-(const A& a, const B& b) {
    return detail::binary<op::Sub>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator*(const A& a, const B& b) {
    return detail::binary<op::Mul>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator/(const A& a, const B& b) {
    return detail::binary<op::Div>(a, b);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto operator-(const A& a) {
    return detail::unary<op::Neg>(a);
}

template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator==(const A& a, const B& b) {
    return detail::binary<op::Eq>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator!=(const A& a, const B& b) {
    return detail::binary<op::Ne>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator<(const A& a, const B& b) {
    return detail::binary<op::Lt>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator<=(const A& a, const B& b) {
    return detail::binary<op::Le>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator>(const A& a, const B& b) {
    return detail::binary<op::Gt>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator>=(const A& a, const B& b) {
    return detail::binary<op::Ge>(a, b);
}

template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator&&(const A& a, const B& b) {
    return detail::binary<op::LogicalAnd>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator||(const A& a, const B& b) {
    return detail::binary<op::LogicalOr>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto logical_xor(const A& a, const B& b) {
    return detail::binary<op::LogicalXor>(a, b);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto operator!(const A& a) {
    return detail::unary<op::LogicalNot>(a);
}

template <class A>
    requires OneOfOurs<A>
constexpr auto sqrt(const A& a) {
    return detail::unary<op::Sqrt>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto square(const A& a) {
    return detail::unary<op::Square>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto abs(const A& a) {
    return detail::unary<op::Abs>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto exp(const A& a) {
    return detail::unary<op::Exp>(a);
}
/// The natural logarithm.
template <class A>
    requires OneOfOurs<A>
constexpr auto log(const A& a) {
    return detail::unary<op::Log>(a);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto pow(const A& a, const B& b) {
    return detail::binary<op::Pow>(a, b);
}
/// The smaller; NaN if either is.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto min(const A& a, const B& b) {
    return detail::binary<op::Minimum>(a, b);
}
/// The larger; NaN if either is.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto max(const A& a, const B& b) {
    return detail::binary<op::Maximum>(a, b);
}
/// `a` where the condition holds, else `b`.
template <class Condition, class A, class B>
    requires OneOfOurs<Condition, A, B>
constexpr auto where(const Condition& condition, const A& a, const B& b) {
    return detail::ternary<op::Where>(condition, a, b);
}

/// `value` restricted to the elements that `masked` specifies.
template <class M, class A>
    requires OneOfOurs<M, A>
constexpr auto on(const M& masked, const A& value) {
    return detail::binary<op::On>(masked, value);
}
/// `value` with `fill`, a number, where nothing is specified.
template <class A, class Fill>
    requires OneOfOurs<A, Fill>
constexpr auto to_dense(const A& value, const Fill& fill) {
    return detail::binary<op::ToDense>(value, fill);
}

}  // namespace frisket
