// SPDX-License-Identifier: MIT
// Declares the operators of expressions, and refuses those that C++ would misread.
#pragma once
#include "diagnose.hpp"
#include "dims.hpp"
#include "expr_type.hpp"
#include "node.hpp"

#include <ios>
#include <type_traits>

/// Calls that lack an operand, and printing: refused with a sentence that says what to write.
namespace frisket {

/// Refused for one operand: the smallest element is amin's.
template <class A>
    requires AnyOperand<A>
constexpr ErrorExpr min(const A& /*a*/, const Dims& /*dims*/ = {}, Keep /*keep*/ = {}) {
    static_assert(diagnose::is_quiet<A>,
                  "frisket: min(a, b) is the smaller of two: write amin(x, dims) for the smallest element");
    return {};
}
/// Refused for one operand: the largest element is amax's.
template <class A>
    requires AnyOperand<A>
constexpr ErrorExpr max(const A& /*a*/, const Dims& /*dims*/ = {}, Keep /*keep*/ = {}) {
    static_assert(diagnose::is_quiet<A>,
                  "frisket: max(a, b) is the larger of two: write amax(x, dims) for the largest element");
    return {};
}
/// Refused for one value.
template <class Condition, class A>
    requires AnyOperand<Condition, A>
constexpr ErrorExpr where(const Condition& /*condition*/, const A& /*a*/) {
    static_assert(diagnose::is_quiet<Condition>,
                  "frisket: where(condition, a, b) takes two values: write where(condition, a, 0)");
    return {};
}
/// Refused for one bound.
template <class A, class Low>
    requires AnyOperand<A, Low>
constexpr ErrorExpr clamp(const A& /*a*/, const Low& /*low*/) {
    static_assert(diagnose::is_quiet<A>, "frisket: clamp(x, low, high) takes two bounds: write max(x, low)");
    return {};
}
/// Refused for a stream: an expression has no elements yet.
template <class Stream, SomeExpression E>
    requires std::is_base_of_v<std::ios_base, Stream>
Stream& operator<<(Stream& out, const E& /*expression*/) {
    static_assert(diagnose::is_quiet<E>,
                  "frisket: an expression has no elements to print yet: write eval(x)");
    return out;
}
namespace detail {
/// Type of begin.  Lacks the members of an iterator, so that tensors and expressions are no ranges.
template <class Element>
struct NoIterator {
    Element& operator*() const;
    NoIterator& operator++();
    bool operator!=(const NoIterator& other) const;
};
template <class A>
struct LoopOver {
    using Iterator = NoIterator<int>;
};
template <TypedTensor A>
struct LoopOver<A> {
    using Iterator = NoIterator<typename A::Element>;
};
}  // namespace detail

/// Refused for a loop over elements.
template <class A>
    requires AnyOperand<A>
typename detail::LoopOver<A>::Iterator begin(const A& /*a*/) {
    // Clang would explain a disjunction, in three lines more.
    constexpr bool is_expression = SomeExpression<A> || diagnose::is_quiet<A>,
                   is_tensor = SomeTensor<A> || diagnose::is_quiet<A>;
    static_assert(is_expression,
                  "frisket: a loop goes over a vector: write for (float v : x.to_vector()), or x.at({i})");
    static_assert(is_tensor, "frisket: a loop goes over a vector: write for (float v : eval(x).to_vector())");
    return {};
}
/// Refused by begin.
template <class A>
    requires AnyOperand<A>
typename detail::LoopOver<A>::Iterator end(const A& /*a*/);
/// Refused for no fill.
template <class A>
    requires AnyOperand<A>
constexpr ErrorExpr to_dense(const A& /*value*/) {
    static_assert(diagnose::is_quiet<A>,
                  "frisket: to_dense(x, fill) takes the value of unspecified elements: write to_dense(x, 0)");
    return {};
}
/// Refused for no dimension.
template <class A>
    requires AnyOperand<A>
constexpr ErrorExpr softmax(const A& /*a*/) {
    static_assert(diagnose::is_quiet<A>,
                  "frisket: softmax(x, dim) goes along a dimension: write softmax(x, -1)");
    return {};
}

}  // namespace frisket

/// Operators of expressions: docs/language.md lists them, each is one node.
namespace frisket {

/// Sum; integers wrap, of bool or.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Add, A, B> operator+(const A& a, const B& b) {
    return detail::binary<op::Add>(a, b);
}
/// Difference; integers wrap.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Sub, A, B> operator-(const A& a, const B& b) {
    return detail::binary<op::Sub>(a, b);
}
/// Product; integers wrap, of bool and.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Mul, A, B> operator*(const A& a, const B& b) {
    return detail::binary<op::Mul>(a, b);
}
/// Quotient, a float: floor_divide and trunc_divide are for integers.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Div, A, B> operator/(const A& a, const B& b) {
    return detail::binary<op::Div>(a, b);
}
/// Negation: the sign flipped, of zeros and NaN too; integers wrap.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Neg, A> operator-(const A& a) {
    return detail::unary<op::Neg>(a);
}
/// The operand itself.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Positive, A> operator+(const A& a) {
    return detail::unary<op::Positive>(a);
}

/// True where equal; NaN equals nothing.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Eq, A, B> operator==(const A& a, const B& b) {
    return detail::binary<op::Eq>(a, b);
}
/// True where not equal; NaN differs from everything.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Ne, A, B> operator!=(const A& a, const B& b) {
    return detail::binary<op::Ne>(a, b);
}
/// True where a is less; false if an operand is NaN.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Lt, A, B> operator<(const A& a, const B& b) {
    return detail::binary<op::Lt>(a, b);
}
/// True where a is less or equal; false if an operand is NaN.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Le, A, B> operator<=(const A& a, const B& b) {
    return detail::binary<op::Le>(a, b);
}
/// True where a is greater; false if an operand is NaN.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Gt, A, B> operator>(const A& a, const B& b) {
    return detail::binary<op::Gt>(a, b);
}
/// True where a is greater or equal; false if an operand is NaN.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Ge, A, B> operator>=(const A& a, const B& b) {
    return detail::binary<op::Ge>(a, b);
}

/// True where both differ from 0; both are evaluated.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::LogicalAnd, A, B> operator&&(const A& a, const B& b) {
    return detail::binary<op::LogicalAnd>(a, b);
}
/// True where one differs from 0; both are evaluated.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::LogicalOr, A, B> operator||(const A& a, const B& b) {
    return detail::binary<op::LogicalOr>(a, b);
}
/// True where 0.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::LogicalNot, A> operator!(const A& a) {
    return detail::unary<op::LogicalNot>(a);
}

/// The remainder of floor_divide, of the divisor's sign.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Remainder, A, B> operator%(const A& a, const B& b) {
    return detail::binary<op::Remainder>(a, b);
}
/// Bits that both have; for bool, and.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::BitwiseAnd, A, B> operator&(const A& a, const B& b) {
    return detail::binary<op::BitwiseAnd>(a, b);
}
/// Bits that either has; for bool, or.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::BitwiseOr, A, B> operator|(const A& a, const B& b) {
    return detail::binary<op::BitwiseOr>(a, b);
}
/// Bits that exactly one has; for bool, true where they differ.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::BitwiseXor, A, B> operator^(const A& a, const B& b) {
    return detail::binary<op::BitwiseXor>(a, b);
}
/// Bits inverted; for bool, not.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::BitwiseNot, A> operator~(const A& a) {
    return detail::unary<op::BitwiseNot>(a);
}
namespace detail {
/// Operands of a shift.  A stream, which is neither a number nor of frisket, prints the tensor behind it.
template <class A, class B>
concept IsShift =
    SomeExpression<A> || SomeExpression<B> || SomeTensor<A> || (std::is_arithmetic_v<A> && SomeTensor<B>);
}  // namespace detail

/// Bits moved up by b; 0 for b below 0, and of the width and more.
template <class A, class B>
    requires detail::IsShift<A, B>
constexpr detail::BinaryOf<op::BitwiseLeftShift, A, B> operator<<(const A& a, const B& b) {
    return detail::binary<op::BitwiseLeftShift>(a, b);
}
/// Bits moved down by b, keeping the sign; only the sign for b below 0, and for b of the width or more.
template <class A, class B>
    requires detail::IsShift<A, B>
constexpr detail::BinaryOf<op::BitwiseRightShift, A, B> operator>>(const A& a, const B& b) {
    return detail::binary<op::BitwiseRightShift>(a, b);
}

// Updates of operands that are not symbols.
/// Refused for tensors and expressions over them: the sentence says what to write.
template <NeverUpdated A, class B>
IllegalUpdate<A> operator+=(const A& a, const B& b);
/// Refused as +=.
template <NeverUpdated A, class B>
IllegalUpdate<A> operator-=(const A& a, const B& b);
/// Refused as +=.
template <NeverUpdated A, class B>
IllegalUpdate<A> operator*=(const A& a, const B& b);
/// Refused as +=.
template <NeverUpdated A, class B>
IllegalUpdate<A> operator/=(const A& a, const B& b);
/// Refused for a part of a symbol: the sentence says what to write.
template <class B>
constexpr ErrorExpr operator+=(const PartTarget& /*a*/, const B& /*b*/) {
    return {};
}
/// Refused for a part of a symbol.
template <class B>
constexpr ErrorExpr operator-=(const PartTarget& /*a*/, const B& /*b*/) {
    return {};
}
/// Refused for a part of a symbol.
template <class B>
constexpr ErrorExpr operator*=(const PartTarget& /*a*/, const B& /*b*/) {
    return {};
}
/// Refused for a part of a symbol.
template <class B>
constexpr ErrorExpr operator/=(const PartTarget& /*a*/, const B& /*b*/) {
    return {};
}

/// `value` restricted to the elements that `masked` specifies.
/// Errors: MaskMismatch if `value` is masked and specifies other elements; ShapeError if shapes do not
/// broadcast.
template <class M, class A>
    requires AnyOperand<M, A>
constexpr detail::BinaryOf<op::On, M, A> on(const M& masked, const A& value) {
    return detail::binary<op::On>(masked, value);
}
/// `value` with `fill`, a number, where nothing is specified.
template <class A, class Fill>
    requires AnyOperand<A, Fill>
constexpr detail::BinaryOf<op::ToDense, A, Fill> to_dense(const A& value, const Fill& fill) {
    return detail::binary<op::ToDense>(value, fill);
}

}  // namespace frisket
