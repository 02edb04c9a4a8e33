// SPDX-License-Identifier: MIT
// Declares the elementwise functions of expressions.
#pragma once
#include "node.hpp"

/// Functions of expressions, element by element: docs/language.md lists them, each is one node.
namespace frisket {

/// Magnitude; the lowest integer is returned unchanged.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Abs, A> abs(const A& a) {
    return detail::unary<op::Abs>(a);
}
/// 1 of the sign; 0 of zeros and NaN.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Sign, A> sign(const A& a) {
    return detail::unary<op::Sign>(a);
}
/// a * a.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Square, A> square(const A& a) {
    return detail::unary<op::Square>(a);
}
/// `a`, and 0 where it is negative.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Relu, A> relu(const A& a) {
    return detail::unary<op::Relu>(a);
}
/// 1 / a.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Reciprocal, A> reciprocal(const A& a) {
    return detail::unary<op::Reciprocal>(a);
}
/// Rounded up; integers stay.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Ceil, A> ceil(const A& a) {
    return detail::unary<op::Ceil>(a);
}
/// Rounded down; integers stay.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Floor, A> floor(const A& a) {
    return detail::unary<op::Floor>(a);
}
/// Rounded towards 0; integers stay.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Trunc, A> trunc(const A& a) {
    return detail::unary<op::Trunc>(a);
}
/// Rounds to the nearest integer, halves to the even one.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Round, A> round(const A& a) {
    return detail::unary<op::Round>(a);
}
/// The part that trunc cuts off.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Frac, A> frac(const A& a) {
    return detail::unary<op::Frac>(a);
}
/// Square root, correctly rounded; NaN of negative numbers.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Sqrt, A> sqrt(const A& a) {
    return detail::unary<op::Sqrt>(a);
}
/// 1 / sqrt(a).
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Rsqrt, A> rsqrt(const A& a) {
    return detail::unary<op::Rsqrt>(a);
}
/// e to the power of a.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Exp, A> exp(const A& a) {
    return detail::unary<op::Exp>(a);
}
/// 2 to the power of a.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Exp2, A> exp2(const A& a) {
    return detail::unary<op::Exp2>(a);
}
/// exp(a) - 1, exact near 0.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Expm1, A> expm1(const A& a) {
    return detail::unary<op::Expm1>(a);
}
/// The natural logarithm.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Log, A> log(const A& a) {
    return detail::unary<op::Log>(a);
}
/// Logarithm to base 2.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Log2, A> log2(const A& a) {
    return detail::unary<op::Log2>(a);
}
/// Logarithm to base 10.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Log10, A> log10(const A& a) {
    return detail::unary<op::Log10>(a);
}
/// log(1 + a), exact near 0.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Log1p, A> log1p(const A& a) {
    return detail::unary<op::Log1p>(a);
}
/// 1 / (1 + exp(-a)).
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Sigmoid, A> sigmoid(const A& a) {
    return detail::unary<op::Sigmoid>(a);
}
/// log(a / (1 - a)).
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Logit, A> logit(const A& a) {
    return detail::unary<op::Logit>(a);
}
/// Sine of an angle in radians.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Sin, A> sin(const A& a) {
    return detail::unary<op::Sin>(a);
}
/// Cosine of an angle in radians.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Cos, A> cos(const A& a) {
    return detail::unary<op::Cos>(a);
}
/// Tangent of an angle in radians.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Tan, A> tan(const A& a) {
    return detail::unary<op::Tan>(a);
}
/// Angle whose sine is a, in radians; NaN outside [-1, 1].
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Asin, A> asin(const A& a) {
    return detail::unary<op::Asin>(a);
}
/// Angle whose cosine is a, in radians; NaN outside [-1, 1].
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Acos, A> acos(const A& a) {
    return detail::unary<op::Acos>(a);
}
/// Angle whose tangent is a, in radians.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Atan, A> atan(const A& a) {
    return detail::unary<op::Atan>(a);
}
/// Hyperbolic sine.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Sinh, A> sinh(const A& a) {
    return detail::unary<op::Sinh>(a);
}
/// Hyperbolic cosine.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Cosh, A> cosh(const A& a) {
    return detail::unary<op::Cosh>(a);
}
/// Hyperbolic tangent.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Tanh, A> tanh(const A& a) {
    return detail::unary<op::Tanh>(a);
}
/// Number whose hyperbolic sine is a.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Asinh, A> asinh(const A& a) {
    return detail::unary<op::Asinh>(a);
}
/// Number whose hyperbolic cosine is a; NaN below 1.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Acosh, A> acosh(const A& a) {
    return detail::unary<op::Acosh>(a);
}
/// Number whose hyperbolic tangent is a; NaN outside [-1, 1].
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Atanh, A> atanh(const A& a) {
    return detail::unary<op::Atanh>(a);
}
/// Angle in degrees as radians.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Deg2rad, A> deg2rad(const A& a) {
    return detail::unary<op::Deg2rad>(a);
}
/// Angle in radians as degrees.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Rad2deg, A> rad2deg(const A& a) {
    return detail::unary<op::Rad2deg>(a);
}
/// sin(pi a) / (pi a).
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Sinc, A> sinc(const A& a) {
    return detail::unary<op::Sinc>(a);
}
/// Error function.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Erf, A> erf(const A& a) {
    return detail::unary<op::Erf>(a);
}
/// 1 - erf(a).
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Erfc, A> erfc(const A& a) {
    return detail::unary<op::Erfc>(a);
}
/// The number whose erf is a.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Erfinv, A> erfinv(const A& a) {
    return detail::unary<op::Erfinv>(a);
}
/// The logarithm of the gamma function's magnitude.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Lgamma, A> lgamma(const A& a) {
    return detail::unary<op::Lgamma>(a);
}
/// The derivative of lgamma.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Digamma, A> digamma(const A& a) {
    return detail::unary<op::Digamma>(a);
}
/// The derivative of digamma.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Trigamma, A> trigamma(const A& a) {
    return detail::unary<op::Trigamma>(a);
}
/// The modified Bessel function of the first kind, of order 0.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::I0, A> i0(const A& a) {
    return detail::unary<op::I0>(a);
}
/// The modified Bessel function of the first kind, of order 1.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::I1, A> i1(const A& a) {
    return detail::unary<op::I1>(a);
}
/// True for NaN; false for integers.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Isnan, A> is_nan(const A& a) {
    return detail::unary<op::Isnan>(a);
}
/// True for infinities; false for integers.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Isinf, A> is_inf(const A& a) {
    return detail::unary<op::Isinf>(a);
}
/// True unless NaN or infinite.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Isfinite, A> is_finite(const A& a) {
    return detail::unary<op::Isfinite>(a);
}
/// True where the sign is minus, of zeros and NaN too.
template <class A>
    requires AnyOperand<A>
constexpr detail::UnaryOf<op::Signbit, A> sign_bit(const A& a) {
    return detail::unary<op::Signbit>(a);
}

/// The quotient rounded down.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::FloorDivide, A, B> floor_divide(const A& a, const B& b) {
    return detail::binary<op::FloorDivide>(a, b);
}
/// The quotient rounded towards 0.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::TruncDivide, A, B> trunc_divide(const A& a, const B& b) {
    return detail::binary<op::TruncDivide>(a, b);
}
/// The remainder of floor_divide, of the divisor's sign.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Remainder, A, B> remainder(const A& a, const B& b) {
    return detail::binary<op::Remainder>(a, b);
}
/// The remainder of trunc_divide, of the dividend's sign.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Fmod, A, B> fmod(const A& a, const B& b) {
    return detail::binary<op::Fmod>(a, b);
}
/// a to the power of b; integers wrap.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Pow, A, B> pow(const A& a, const B& b) {
    return detail::binary<op::Pow>(a, b);
}
/// The smaller; NaN if either is.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Minimum, A, B> min(const A& a, const B& b) {
    return detail::binary<op::Minimum>(a, b);
}
/// The larger; NaN if either is.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Maximum, A, B> max(const A& a, const B& b) {
    return detail::binary<op::Maximum>(a, b);
}
/// The smaller; if one is NaN, the other.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Fmin, A, B> fmin(const A& a, const B& b) {
    return detail::binary<op::Fmin>(a, b);
}
/// The larger; if one is NaN, the other.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Fmax, A, B> fmax(const A& a, const B& b) {
    return detail::binary<op::Fmax>(a, b);
}
/// log(exp(a) + exp(b)), which does not overflow.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Logaddexp, A, B> logaddexp(const A& a, const B& b) {
    return detail::binary<op::Logaddexp>(a, b);
}
/// The angle of the point (b, a).
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Atan2, A, B> atan2(const A& a, const B& b) {
    return detail::binary<op::Atan2>(a, b);
}
/// sqrt(a * a + b * b), which does not overflow.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::Hypot, A, B> hypot(const A& a, const B& b) {
    return detail::binary<op::Hypot>(a, b);
}
/// True where exactly one operand differs from 0.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::BinaryOf<op::LogicalXor, A, B> logical_xor(const A& a, const B& b) {
    return detail::binary<op::LogicalXor>(a, b);
}

/// `a` where the condition holds, else `b`.
template <class Condition, class A, class B>
    requires AnyOperand<Condition, A, B>
constexpr detail::TernaryOf<op::Where, Condition, A, B> where(const Condition& condition, const A& a,
                                                              const B& b) {
    return detail::ternary<op::Where>(condition, a, b);
}
/// `a`, and `low` where it is below, `high` where it is above; NaN stays, and `high` wins over `low`.
template <class A, class Low, class High>
    requires AnyOperand<A, Low, High>
constexpr detail::BinaryOf<op::Minimum, detail::BinaryOf<op::Maximum, A, Low>, High>
clamp(const A& a, const Low& low, const High& high) {
    return detail::binary<op::Minimum>(detail::binary<op::Maximum>(a, low), high);
}

}  // namespace frisket
