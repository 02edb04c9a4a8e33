// SPDX-License-Identifier: MIT
#pragma once
#include "node.hpp"

/// Functions of expressions, element by element: what dsl/README.md lists, each one node.
namespace frisket {

template <class A>
    requires OneOfOurs<A>
constexpr auto abs(const A& a) {
    return detail::unary<op::Abs>(a);
}
/// 1 of the sign; 0 of zeros and NaN.
template <class A>
    requires OneOfOurs<A>
constexpr auto sign(const A& a) {
    return detail::unary<op::Sign>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto square(const A& a) {
    return detail::unary<op::Square>(a);
}
/// `a`, and 0 for what is negative.
template <class A>
    requires OneOfOurs<A>
constexpr auto relu(const A& a) {
    return detail::unary<op::Relu>(a);
}
/// 1 / a.
template <class A>
    requires OneOfOurs<A>
constexpr auto reciprocal(const A& a) {
    return detail::unary<op::Reciprocal>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto ceil(const A& a) {
    return detail::unary<op::Ceil>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto floor(const A& a) {
    return detail::unary<op::Floor>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto trunc(const A& a) {
    return detail::unary<op::Trunc>(a);
}
/// To the nearest whole number, halves to the even one.
template <class A>
    requires OneOfOurs<A>
constexpr auto round(const A& a) {
    return detail::unary<op::Round>(a);
}
/// What trunc cuts off.
template <class A>
    requires OneOfOurs<A>
constexpr auto frac(const A& a) {
    return detail::unary<op::Frac>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto sqrt(const A& a) {
    return detail::unary<op::Sqrt>(a);
}
/// 1 / sqrt(a).
template <class A>
    requires OneOfOurs<A>
constexpr auto rsqrt(const A& a) {
    return detail::unary<op::Rsqrt>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto exp(const A& a) {
    return detail::unary<op::Exp>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto exp2(const A& a) {
    return detail::unary<op::Exp2>(a);
}
/// exp(a) - 1, exact near 0.
template <class A>
    requires OneOfOurs<A>
constexpr auto expm1(const A& a) {
    return detail::unary<op::Expm1>(a);
}
/// The natural logarithm.
template <class A>
    requires OneOfOurs<A>
constexpr auto log(const A& a) {
    return detail::unary<op::Log>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto log2(const A& a) {
    return detail::unary<op::Log2>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto log10(const A& a) {
    return detail::unary<op::Log10>(a);
}
/// log(1 + a), exact near 0.
template <class A>
    requires OneOfOurs<A>
constexpr auto log1p(const A& a) {
    return detail::unary<op::Log1p>(a);
}
/// 1 / (1 + exp(-a)).
template <class A>
    requires OneOfOurs<A>
constexpr auto sigmoid(const A& a) {
    return detail::unary<op::Sigmoid>(a);
}
/// log(a / (1 - a)).
template <class A>
    requires OneOfOurs<A>
constexpr auto logit(const A& a) {
    return detail::unary<op::Logit>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto sin(const A& a) {
    return detail::unary<op::Sin>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto cos(const A& a) {
    return detail::unary<op::Cos>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto tan(const A& a) {
    return detail::unary<op::Tan>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto asin(const A& a) {
    return detail::unary<op::Asin>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto acos(const A& a) {
    return detail::unary<op::Acos>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto atan(const A& a) {
    return detail::unary<op::Atan>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto sinh(const A& a) {
    return detail::unary<op::Sinh>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto cosh(const A& a) {
    return detail::unary<op::Cosh>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto tanh(const A& a) {
    return detail::unary<op::Tanh>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto asinh(const A& a) {
    return detail::unary<op::Asinh>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto acosh(const A& a) {
    return detail::unary<op::Acosh>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto atanh(const A& a) {
    return detail::unary<op::Atanh>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto deg2rad(const A& a) {
    return detail::unary<op::Deg2rad>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto rad2deg(const A& a) {
    return detail::unary<op::Rad2deg>(a);
}
/// sin(pi a) / (pi a).
template <class A>
    requires OneOfOurs<A>
constexpr auto sinc(const A& a) {
    return detail::unary<op::Sinc>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto erf(const A& a) {
    return detail::unary<op::Erf>(a);
}
/// 1 - erf(a).
template <class A>
    requires OneOfOurs<A>
constexpr auto erfc(const A& a) {
    return detail::unary<op::Erfc>(a);
}
/// The number whose erf is a.
template <class A>
    requires OneOfOurs<A>
constexpr auto erfinv(const A& a) {
    return detail::unary<op::Erfinv>(a);
}
/// The logarithm of the gamma function's magnitude.
template <class A>
    requires OneOfOurs<A>
constexpr auto lgamma(const A& a) {
    return detail::unary<op::Lgamma>(a);
}
/// The derivative of lgamma.
template <class A>
    requires OneOfOurs<A>
constexpr auto digamma(const A& a) {
    return detail::unary<op::Digamma>(a);
}
/// The derivative of digamma.
template <class A>
    requires OneOfOurs<A>
constexpr auto trigamma(const A& a) {
    return detail::unary<op::Trigamma>(a);
}
/// The modified Bessel function of the first kind, of order 0.
template <class A>
    requires OneOfOurs<A>
constexpr auto i0(const A& a) {
    return detail::unary<op::I0>(a);
}
/// The same of order 1.
template <class A>
    requires OneOfOurs<A>
constexpr auto i1(const A& a) {
    return detail::unary<op::I1>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto is_nan(const A& a) {
    return detail::unary<op::Isnan>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto is_inf(const A& a) {
    return detail::unary<op::Isinf>(a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto is_finite(const A& a) {
    return detail::unary<op::Isfinite>(a);
}
/// Whether the sign is minus, of zeros and NaN too.
template <class A>
    requires OneOfOurs<A>
constexpr auto sign_bit(const A& a) {
    return detail::unary<op::Signbit>(a);
}

/// The quotient rounded down.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto floor_divide(const A& a, const B& b) {
    return detail::binary<op::FloorDivide>(a, b);
}
/// The quotient rounded towards 0.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto trunc_divide(const A& a, const B& b) {
    return detail::binary<op::TruncDivide>(a, b);
}
/// What is left of a floor_divide: of the divisor's sign.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto remainder(const A& a, const B& b) {
    return detail::binary<op::Remainder>(a, b);
}
/// What is left of a trunc_divide: of the dividend's sign.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto fmod(const A& a, const B& b) {
    return detail::binary<op::Fmod>(a, b);
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
/// The smaller; if one is NaN, the other.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto fmin(const A& a, const B& b) {
    return detail::binary<op::Fmin>(a, b);
}
/// The larger; if one is NaN, the other.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto fmax(const A& a, const B& b) {
    return detail::binary<op::Fmax>(a, b);
}
/// log(exp(a) + exp(b)), which does not overflow.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto logaddexp(const A& a, const B& b) {
    return detail::binary<op::Logaddexp>(a, b);
}
/// The angle of the point (b, a).
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto atan2(const A& a, const B& b) {
    return detail::binary<op::Atan2>(a, b);
}
/// sqrt(a * a + b * b), which does not overflow.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto hypot(const A& a, const B& b) {
    return detail::binary<op::Hypot>(a, b);
}
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto logical_xor(const A& a, const B& b) {
    return detail::binary<op::LogicalXor>(a, b);
}

/// `a` where the condition holds, else `b`.
template <class Condition, class A, class B>
    requires OneOfOurs<Condition, A, B>
constexpr auto where(const Condition& condition, const A& a, const B& b) {
    return detail::ternary<op::Where>(condition, a, b);
}
/// `a`, and `low` where it is below, `high` where it is above; NaN stays, and `high` wins over `low`.
template <class A, class Low, class High>
    requires OneOfOurs<A, Low, High>
constexpr auto clamp(const A& a, const Low& low, const High& high) {
    return min(max(a, low), high);
}

}  // namespace frisket
