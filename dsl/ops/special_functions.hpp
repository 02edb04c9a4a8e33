// SPDX-License-Identifier: MIT
#pragma once
#include "scalar.hpp"

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>

/// Functions that the C library lacks, for float, double and the values of loops alike; computed in float64.
namespace frisket {

namespace formulas {

/// A number of the source as a float64 like `x`.
auto wide(auto x, double number) { return like(widen(x), number); }

/// 1 + f1 (1 + f2 (1 + ... (1 + fn))) with f(k) from 1 to n.
auto nested_sum(auto one, int n, auto f) {
    auto sum = one;
    for (int k = n; k > 0; --k) sum = one + f(k) * sum;
    return sum;
}

/// A modified Bessel function of the first kind, of order 0 or 1 and x >= 0, in float64.
/// Source: Abramowitz and Stegun 9.6.10 (series, below 16) and 9.7.1 (asymptotic).
template <int Order>
auto bessel_i(auto x) {
    using std::exp, std::sqrt;
    const auto one = like(x, 1), cut = like(x, 16);
    const auto near = select(x < cut, x, cut), far = select(x < cut, cut, x);
    const auto quarter = near * near * like(x, 0.25);
    const auto series =
        nested_sum(one, 44, [&](int k) { return quarter * like(x, 1.0 / (k * (k + Order))); });
    const auto leading = Order == 0 ? series : series * near * like(x, 0.5);
    const auto asymptotic = nested_sum(one, 26, [&](int k) {
        const double odd = 2 * k - 1;
        return like(x, (odd * odd - 4 * Order * Order) / (8.0 * k)) / far;
    });
    // In two factors: one would overflow before the product does.
    const auto root = exp(far * like(x, 0.5));
    const auto product = root * (root / sqrt(like(x, 2 * std::numbers::pi) * far)) * asymptotic;
    return select(is_inf(x), x, select(x < cut, leading, product));
}

template <class T>
T sigmoid(T x) {
    using std::exp;
    return like(x, 1) / (like(x, 1) + exp(-x));
}

/// sin(pi x) / (pi x).
template <class T>
T sinc(T x) {
    using std::sin;
    const auto angle = widen(x) * wide(x, std::numbers::pi);
    return select(x == like(x, 0), like(x, 1), narrow(x, sin(angle) / angle));
}

/// The derivative of lgamma.  Source: Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18.
template <class T>
T digamma(T number) {
    using std::log, std::tan, std::trunc;
    const auto x = widen(number), zero = like(x, 0), one = like(x, 1), ten = like(x, 10);
    const auto pi = like(x, std::numbers::pi);
    const auto reflects = x < zero;
    auto at = select(reflects, one - x, x), sum = zero;
    for (int k = 0; k < 10; ++k) {
        const auto small = at < ten;
        sum = sum - select(small, one / at, zero);
        at = select(small, at + one, at);
    }
    const auto inverse = one / (at * at);
    constexpr double terms[] = {-1.0 / 12,  1.0 / 120,     -1.0 / 252, 1.0 / 240,
                                -1.0 / 132, 691.0 / 32760, -1.0 / 12};
    auto tail = zero;
    for (int k = 6; k >= 0; --k) tail = (tail + like(x, terms[k])) * inverse;
    const auto positive = sum + log(at) - like(x, 0.5) / at + tail;
    const auto fraction = x - trunc(x);
    const auto value = select(reflects, positive - pi / tan(pi * fraction), positive);
    const auto infinity = like(x, std::numeric_limits<double>::infinity());
    const auto nan = like(x, std::numeric_limits<double>::quiet_NaN());
    const auto poles = select(x == zero, -one / x, select(reflects && fraction == zero, nan, value));
    return narrow(number, select(x == infinity, x, poles));
}

/// The derivative of digamma.  Source: Abramowitz and Stegun 6.4.6, 6.4.7, 6.4.12.
template <class T>
T trigamma(T number) {
    using std::sin, std::trunc;
    const auto x = widen(number), zero = like(x, 0), one = like(x, 1), ten = like(x, 10);
    const auto pi = like(x, std::numbers::pi);
    const auto reflects = x < zero;
    auto at = select(reflects, one - x, x), sum = zero;
    for (int k = 0; k < 10; ++k) {
        const auto small = at < ten;
        sum = sum + select(small, one / (at * at), zero);
        at = select(small, at + one, at);
    }
    const auto inverse = one / (at * at);
    constexpr double terms[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
    auto tail = zero;
    for (int k = 6; k >= 0; --k) tail = (tail + like(x, terms[k])) * inverse;
    const auto positive = sum + one / at + like(x, 0.5) * inverse + tail / at;
    const auto sine = sin(pi * (x - trunc(x)));
    return narrow(number, select(reflects, pi * pi / (sine * sine) - positive, positive));
}

/// The number whose erf is x: a first guess by Winitzki's formula, then Halley's method.
template <class T>
T erfinv(T number) {
    using std::abs, std::erf, std::erfc, std::exp, std::log1p, std::sqrt;
    const auto x = abs(widen(number)), one = like(x, 1), half = like(x, 0.5);
    constexpr double a = 0.147;
    const auto logarithm = log1p(-x * x);
    const auto middle = like(x, 2 / (std::numbers::pi * a)) + half * logarithm;
    auto y = sqrt(sqrt(middle * middle - logarithm * like(x, 1 / a)) - middle);
    for (int step = 0; step < 3; ++step) {
        const auto error = select(x < half, erf(y) - x, (one - x) - erfc(y));
        const auto newton = error * exp(y * y) * like(x, 0.5 / std::numbers::inv_sqrtpi);
        y = y - newton / (one + y * newton);
    }
    const auto infinity = like(x, std::numeric_limits<double>::infinity());
    const auto magnitude = narrow(number, select(x == one, infinity, y));
    return select(sign_bit(number), -magnitude, magnitude);
}

/// The modified Bessel function of the first kind, of order 0.
template <class T>
T i0(T x) {
    using std::abs;
    return narrow(x, bessel_i<0>(abs(widen(x))));
}
/// The same of order 1: the derivative of i0.
template <class T>
T i1(T x) {
    using std::abs;
    const auto magnitude = narrow(x, bessel_i<1>(abs(widen(x))));
    return select(x < like(x, 0), -magnitude, magnitude);
}

}  // namespace formulas

template <std::floating_point T> T sigmoid(T x) { return formulas::sigmoid(x); }
template <std::floating_point T> T sinc(T x) { return formulas::sinc(x); }
template <std::floating_point T> T digamma(T x) { return formulas::digamma(x); }
template <std::floating_point T> T trigamma(T x) { return formulas::trigamma(x); }
template <std::floating_point T> T erfinv(T x) { return formulas::erfinv(x); }
template <std::floating_point T> T i0(T x) { return formulas::i0(x); }
template <std::floating_point T> T i1(T x) { return formulas::i1(x); }

}  // namespace frisket
