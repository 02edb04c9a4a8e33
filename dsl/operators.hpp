// SPDX-License-Identifier: MIT
#pragma once
#include "node.hpp"

/// Operators of expressions: what dsl/README.md lists, each one node.
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
template <class A>
    requires OneOfOurs<A>
constexpr auto operator+(const A& a) {
    return detail::unary<op::Positive>(a);
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
template <class A>
    requires OneOfOurs<A>
constexpr auto operator!(const A& a) {
    return detail::unary<op::LogicalNot>(a);
}

/// What is left of a floor_divide: of the divisor's sign.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator%(const A& a, const B& b) {
    return detail::binary<op::Remainder>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator&(const A& a, const B& b) {
    return detail::binary<op::BitwiseAnd>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator|(const A& a, const B& b) {
    return detail::binary<op::BitwiseOr>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto operator^(const A& a, const B& b) {
    return detail::binary<op::BitwiseXor>(a, b);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto operator~(const A& a) {
    return detail::unary<op::BitwiseNot>(a);
}
// Not for tensors: they are printed with <<.
template <class A, class B>
    requires(Expression<A> || Expression<B>)
constexpr auto operator<<(const A& a, const B& b) {
    return detail::binary<op::BitwiseLeftShift>(a, b);
}
template <class A, class B>
    requires(Expression<A> || Expression<B>)
constexpr auto operator>>(const A& a, const B& b) {
    return detail::binary<op::BitwiseRightShift>(a, b);
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
