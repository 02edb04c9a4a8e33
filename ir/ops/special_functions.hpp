// SPDX-License-Identifier: MIT
#pragma once
#include "bessel_functions.hpp"
#include "scalar.hpp"

#include <cmath>
#include <concepts>
#include <iterator>
#include <limits>
#include <numbers>

/// Functions that the C library lacks, for float, double and the values of loops alike; computed in float64.
namespace frisket {

namespace formulas {

/// A number of the source as a float64 like `x`.
auto wide(auto x, double number) { return like(widen(x), number); }

/// 1 / (1 + exp(-x)), with an exponential that may underflow but never overflows.
template <class T>
T sigmoid(T x) {
    using std::abs, std::exp;
    const T one = like(x, 1), less = exp(-abs(x));
    return select(x < like(x, 0), less, one) / (one + less);
}

/// log(x / (1 - x)); where that quotient is near 1 its logarithm by atanh, whose argument is exact.
template <class T>
T logit(T number) {
    using std::abs, std::atanh, std::log;
    const auto x = widen(number), one = like(x, 1), half = like(x, 0.5), two = like(x, 2);
    const auto is_middle = abs(x - half) < like(x, 0.25);
    const auto middle = two * atanh(two * (select(is_middle, x, half) - half));
    return narrow(number, select(is_middle, middle, log(x / (one - x))));
}

/// sin(pi x) in float64, exactly 0 at whole numbers: what is multiplied with pi is at most a half.
auto sin_pi(auto x) {
    using std::abs, std::sin;
    const auto one = like(x, 1), half = like(x, 0.5);
    const auto turns = x - like(x, 2) * round_to_even(x * half);  // from -1 to 1, exact
    const auto mirrored = select(turns > half, one - turns, select(turns < -half, -one - turns, turns));
    return sin(like(x, std::numbers::pi) * mirrored);
}

/// sin(pi x) / (pi x).  Of a number so large that pi x overflows the sine is 0.
template <class T>
T sinc(T number) {
    using std::abs;
    const auto x = abs(widen(number)), zero = like(x, 0), one = like(x, 1);
    return narrow(number, select(x == zero, one, sin_pi(x) / (x * like(x, std::numbers::pi))));
}

/// digamma in [1, 2]: the distance from its root times a polynomial around 3/2.
/// Source: a Chebyshev fit of digamma(x) / (x - root), relative error 5e-17.
auto digamma_at_root(auto x) {
    constexpr double root = 1.4616321449683622, rest_of_root = 9.549995429965697e-17;
    constexpr double terms[] = {
        0.9510558760318328,    -0.4236274212814606,     0.24054248424078697,    -0.14840492305388092,
        0.09498872445289039,   -0.06192213327548831,    0.040760833940846085,   -0.026975796659787055,
        0.017907248317313294,  -0.011908220105959716,   0.007927021796868154,   -0.005279937255532708,
        0.003518106563802472,  -0.0023454947397380833,  0.0015633696313653504,  -0.0010364584817312839,
        0.0006909255761282986, -0.00048595039220036254, 0.00032395945401345196, -0.00014480643368061614,
        9.653646261410062e-05, -0.0001782188548855923,  0.00011881232908510335,
    };
    const auto t = x - like(x, 1.5);
    auto sum = like(x, 0);
    for (int k = static_cast<int>(std::size(terms)) - 1; k >= 0; --k) sum = sum * t + like(x, terms[k]);
    return ((x - like(x, root)) - like(x, rest_of_root)) * sum;
}

/// The derivative of lgamma: of numbers below 10 by its recurrence from [1, 2], in which no two terms cancel.
/// Source: Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18.
template <class T>
T digamma(T number) {
    using std::log, std::tan;
    const auto x = widen(number), zero = like(x, 0), one = like(x, 1), two = like(x, 2), ten = like(x, 10);
    const auto pi = like(x, std::numbers::pi);
    const auto reflects = x < zero;
    const auto positive = select(reflects, one - x, x);
    const auto is_below = positive < one;
    auto at = select(positive < ten, select(is_below, positive + one, positive), one);
    auto sum = select(is_below, -one / positive, zero);
    for (int k = 0; k < 8; ++k) {
        const auto is_above = at > two;
        at = select(is_above, at - one, at);
        sum = sum + select(is_above, one / at, zero);
    }
    const auto far = select(positive < ten, ten, positive);
    const auto inverse = one / (far * far);
    constexpr double terms[] = {-1.0 / 12,  1.0 / 120,     -1.0 / 252, 1.0 / 240,
                                -1.0 / 132, 691.0 / 32760, -1.0 / 12};
    auto tail = zero;
    for (int k = 6; k >= 0; --k) tail = (tail + like(x, terms[k])) * inverse;
    const auto asymptotic = log(far) - (like(x, 0.5) / far - tail);
    const auto right = select(positive < ten, sum + digamma_at_root(at), asymptotic);
    const auto fraction = x - round_to_even(x);
    const auto value = select(reflects, right - pi / tan(pi * fraction), right);
    const auto infinity = like(x, std::numeric_limits<double>::infinity());
    const auto nan = like(x, std::numeric_limits<double>::quiet_NaN());
    const auto poles = select(x == zero, -one / x, select(reflects && fraction == zero, nan, value));
    return narrow(number, select(x == infinity, x, poles));
}

/// The derivative of digamma.  Source: Abramowitz and Stegun 6.4.6, 6.4.7, 6.4.12.
template <class T>
T trigamma(T number) {
    const auto x = widen(number), zero = like(x, 0), one = like(x, 1), ten = like(x, 10);
    const auto reflects = x < zero;
    auto at = select(reflects, one - x, x), sum = zero;
    for (int k = 0; k < 10; ++k) {
        const auto is_small = at < ten;
        const auto root = one / at;
        sum = sum + select(is_small, root * root, zero);
        at = select(is_small, at + one, at);
    }
    const auto inverse = one / (at * at);
    constexpr double terms[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
    auto tail = zero;
    for (int k = 6; k >= 0; --k) tail = (tail + like(x, terms[k])) * inverse;
    const auto positive = sum + (one / at + (like(x, 0.5) * inverse + tail / at));
    const auto quotient = like(x, std::numbers::pi) / sin_pi(x);
    return narrow(number, select(reflects, quotient * quotient - positive, positive));
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

/// The modified Bessel function of the first kind, of order 0, by bessel_i.
template <class T>
T i0(T x) {
    using std::abs;
    return narrow(x, bessel_i<0>(abs(widen(x))));
}
/// The modified Bessel function of the first kind, of order 1, by bessel_i: the derivative of i0.
template <class T>
T i1(T x) {
    using std::abs;
    const auto magnitude = narrow(x, bessel_i<1>(abs(widen(x))));
    return select(sign_bit(x), -magnitude, magnitude);
}

}  // namespace formulas

template <std::floating_point T> T sigmoid(T x) { return formulas::sigmoid(x); }
template <std::floating_point T> T logit(T x) { return formulas::logit(x); }
template <std::floating_point T> T sinc(T x) { return formulas::sinc(x); }
template <std::floating_point T> T digamma(T x) { return formulas::digamma(x); }
template <std::floating_point T> T trigamma(T x) { return formulas::trigamma(x); }
template <std::floating_point T> T erfinv(T x) { return formulas::erfinv(x); }
template <std::floating_point T> T i0(T x) { return formulas::i0(x); }
template <std::floating_point T> T i1(T x) { return formulas::i1(x); }

}  // namespace frisket
