// SPDX-License-Identifier: MIT
// Computes modified Bessel functions of the first kind.
#pragma once
#include "exponential.hpp"
#include "numbers.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <span>

/// Modified Bessel functions of the first kind, for double and for the values of loops.
namespace frisket::formulas {

/// Coefficients of Chebyshev polynomials in 16 / x - 1 for exp(-x) sqrt(x) times the function, x from 8 on.
/// Source: interpolation at 64 nodes in 40 digits.
inline constexpr double i0_from_8_on[] = {
    0.4022452055070544,      0.0033691164782556943,   6.889758346916825e-05,   2.8913705208347567e-06,
    2.0489185894690638e-07,  2.266668990498178e-08,   3.3962320257083865e-09,  4.94060238822497e-10,
    1.1889147107846439e-11,  -3.1499165279632416e-11, -1.3215811840447713e-11, -1.7941785315068062e-12,
    7.180124451383666e-13,   3.8527783827421426e-13,  1.54008621752141e-14,    -4.150569347287222e-14,
    -9.554846698828307e-15,  3.8116806693526224e-15,  1.7725601330565263e-15,  -3.425485619677219e-16,
    -2.8276239805165836e-16, 3.461222867697461e-17,   4.46562142029676e-17,    -4.830504485944182e-18};
inline constexpr double i1_from_8_on[] = {
    0.38928811750914005,     -0.009761097491361469,   -0.00011058893876262371, -3.882564808877691e-06,
    -2.512236237870209e-07,  -2.6314688468895196e-08, -3.835380385964237e-09,  -5.589743462196584e-10,
    -1.8974958123505413e-11, 3.2526035830154884e-11,  1.4125807436613782e-11,  2.0356285441470896e-12,
    -7.198551776245908e-13,  -4.0835511110921974e-13, -2.1015418427726643e-14, 4.272440016711951e-14,
    1.0420276984128802e-14,  -3.8144030724370075e-15, -1.8803547755107825e-15, 3.3082023109209285e-16,
    2.96262899764595e-16,    -3.209525921993424e-17,  -4.6503053684893586e-17, 4.414348323071708e-18};

/// A sum of Chebyshev polynomials in t, from -1 to 1, by Clenshaw's recurrence.
auto chebyshev_sum(std::span<const double> coefficients, auto t) {
    const auto twice = like(t, 2) * t;
    auto last = like(t, 0), before = last;
    for (std::size_t k = coefficients.size() - 1; k > 0; --k) {
        const auto next = twice * last - before + like(t, coefficients[k]);
        before = last;
        last = next;
    }
    return t * last - before + like(t, coefficients[0]);
}

/// The sum of q^k / (k! (k + order)!) over k, for q from 0 to 16.
auto bessel_series(int order, auto q) {
    constexpr int last = 27;
    double terms[last + 1] = {1};
    for (int k = 1; k <= last; ++k) terms[k] = terms[k - 1] / (k * (k + order));
    auto sum = like(q, terms[last]);
    for (int k = last - 1; k >= 0; --k) sum = sum * q + like(q, terms[k]);
    return sum;
}

/// The function of order 0 or 1 for x >= 0, in float64.  Source: Abramowitz and Stegun 9.6.10, below 8.
template <int Order>
auto bessel_i(auto x) {
    using std::sqrt;
    // From 714 on the result overflows; nothing on the way there does below 1000.
    const auto one = like(x, 1), cut = like(x, 8), most = like(x, 1000), half = like(x, 0.5);
    const auto near = select(x < cut, x, cut), far = select(x > most, most, select(x < cut, cut, x));
    const auto series = bessel_series(Order, near * near * like(x, 0.25));
    const auto leading = Order == 0 ? series : series * (near * half);
    const auto scaled = chebyshev_sum(Order == 0 ? i0_from_8_on : i1_from_8_on, like(x, 16) / far - one);
    // Multiplies by two factors: their product overflows before the result does.
    const auto root = exp(far * half);
    return select(x < cut, leading, root * (root * (scaled / sqrt(far))));
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

/// The highest order of bessel_i_of_order; it is NaN of higher orders.
constexpr int most_bessel_order = 12;

/// The sum of q^k n! / (k! (k + n)!) over k, for q from 0 to 225.  Source: Abramowitz and Stegun 9.6.10.
template <class T>
T bessel_series_of_order(const T& order, const T& q) {
    const T one = like(q, 1);
    T sum = one;
    for (int k = 60; k > 0; --k) sum = fma(q / (like(q, k) * (order + like(q, k))), sum, one);
    return sum;
}

/// The function times exp(-x) sqrt(2 pi x), for x >= 30.  Source: Abramowitz and Stegun 9.7.1.
template <class T>
T scaled_bessel_of_order(const T& order, const T& x) {
    const T one = like(x, 1), square = like(x, 4) * (order * order), eighth = like(x, 0.125) / x;
    T sum = one;
    for (int k = 28; k > 0; --k) {
        const double odd = 2 * k - 1;
        const T factor = (square - like(x, odd * odd)) * like(x, 1.0 / k) * eighth;
        sum = fma(-factor, sum, one);
    }
    return sum;
}

/// bessel_i_of_order in float64.
template <class T>
T bessel_i_wide(const T& order, const T& number) {
    using std::abs, std::sqrt;
    const T x = abs(number), cut = like(x, 30), most = like(x, 1000), half = like(x, 0.5);
    const T near = select(x < cut, x, cut), far = select(x > most, most, select(x < cut, cut, x));
    T leading = bessel_series_of_order(order, near * near * like(x, 0.25));
    for (int k = 1; k <= most_bessel_order; ++k)
        leading = select(like(x, k) <= order, leading * (near * like(x, 0.5 / k)), leading);
    const T root = exp(far * half), divisor = sqrt(far * like(x, 2 * std::numbers::pi));
    const T scaled = scaled_bessel_of_order(order, far) / divisor;
    const T size = select(x < cut, leading, root * (root * scaled));
    const auto is_odd = round_to_even(order * half) != order * half;
    const auto is_known = order <= like(x, most_bessel_order) && !is_nan(x);
    return select(is_known, select(is_odd && number < like(x, 0), -size, size),
                  like(x, std::numeric_limits<double>::quiet_NaN()));
}

/// The modified Bessel function of the first kind, of a whole order up to most_bessel_order in size.
template <class T>
T bessel_i_of_order(const T& order, const T& x) {
    using std::abs;
    const auto wide = [](const auto& n, const auto& v) {
        return narrow(v, bessel_i_wide(abs(widen(n)), widen(v)));
    };
    return by_width(order, x, wide, wide);
}

}  // namespace frisket::formulas
