// SPDX-License-Identifier: MIT
// Computes the Hurwitz zeta function for integer orders.
#pragma once
#include "numbers.hpp"

#include <array>
#include <cmath>

/// The zeta function of Hurwitz for whole orders: derivatives of trigamma of any order.
namespace frisket::formulas {

/// The highest order for which natural_power has bits.
constexpr int most_zeta_order = 63;

/// x to a whole power from 0 to 63, by multiplications.
template <class T>
T natural_power(const T& x, const T& power) {
    using std::floor;
    T rest = power, square = x, result = like(x, 1);
    for (int bit = 1; bit < 64; bit *= 2) {
        const T half = floor(rest * like(x, 0.5));
        result = select(rest == half + half, result, result * square);
        square = square * square;
        rest = half;
    }
    return result;
}

/// The sum of (x + k)^-order over k >= 0, for x > 0.  Source: Euler-Maclaurin formula from x + 12 on.
template <class T>
T zeta_of_positive(const T& order, const T& x) {
    constexpr int terms = 12;
    // B(2 j) / (2 j)!, the Bernoulli numbers.
    constexpr std::array bernoulli{1.0 / 12,
                                   -1.0 / 720,
                                   1.0 / 30240,
                                   -1.0 / 1209600,
                                   1.0 / 47900160,
                                   -691.0 / 1307674368000,
                                   1.0 / 74724249600,
                                   -3617.0 / 10670622842880000,
                                   43867.0 / 5109094217170944000,
                                   -174611.0 / 802857662698291200000.0};
    const T one = like(x, 1), last = x + like(x, terms), square = one / (last * last);
    T tail = like(x, 0);
    for (std::size_t j = bernoulli.size(); j-- > 0;) {
        const T next = order + like(x, 2.0 * static_cast<double>(j) + 1);
        const T factor = next * (next + one) * square;
        tail = fma(tail, factor, like(x, bernoulli[j]));
    }
    const T ends = fma(tail * order, one / last, like(x, 0.5)) + last / (order - one);
    T sum = ends / natural_power(last, order);
    for (int k = terms; k-- > 0;) sum = sum + one / natural_power(x + like(x, k), order);
    return sum;
}

/// zeta in float64.  Below 0 the terms are those on both sides of the nearest pole, less those beyond x.
template <class T>
T zeta_wide(const T& order, const T& x) {
    const T zero = like(x, 0), one = like(x, 1);
    const T e = x - round_to_even(x), half = order * like(x, 0.5);
    const auto is_left = x < zero, is_even = round_to_even(half) == half;
    const T outer = zeta_of_positive(order, select(is_left, one - x, x));
    const T right = zeta_of_positive(order, one + e), left = zeta_of_positive(order, one - e);
    const T below = left - outer, middle = one / natural_power(e, order);
    const T reflected = middle + (right + select(is_even, below, -below));
    return select(is_left, reflected, outer);
}

/// The sum of (x + k)^-order over k >= 0, for whole orders from 2 to 63.
template <class T>
T zeta(const T& order, const T& x) {
    const auto wide = [](const auto& s, const auto& v) { return narrow(v, zeta_wide(widen(s), widen(v))); };
    return by_width(order, x, wide, wide);
}

}  // namespace frisket::formulas
