// SPDX-License-Identifier: MIT
// Computes spherical Bessel functions, from which derivatives of sinc follow.
#pragma once
#include "trigonometric.hpp"

#include <cmath>
#include <limits>
#include <numbers>

/// Spherical Bessel functions of pi x: derivatives of sinc of any order.
namespace frisket::formulas {

/// The highest order; the functions of higher orders are NaN here.
constexpr int most_spherical_order = 12;

/// Spherical Bessel function of t, from 0 to sqrt(4 order + 6), over t^order / (2 order + 1)!!.
/// Source: Abramowitz and Stegun 10.1.2.
template <class T>
T spherical_series(const T& order, const T& t) {
    const T one = like(t, 1), half_square = like(t, 0.5) * (t * t), odd = order + order + one;
    T sum = one;
    for (int k = 20; k > 0; --k) {
        const T divisor = like(t, k) * (odd + like(t, 2 * k));
        sum = fma(-half_square / divisor, sum, one);
    }
    return sum;
}

/// t^order / (2 order + 1)!!.
template <class T>
T spherical_leading(const T& order, const T& t) {
    T product = like(t, 1);
    for (int k = 1; k <= most_spherical_order; ++k)
        product = select(like(t, k) <= order, product * (t / like(t, 2 * k + 1)), product);
    return product;
}

/// Spherical Bessel function times t, a finite sum, from sin(t) and cos(t).  Source: Abramowitz and Stegun
/// 10.1.8.
template <class T>
T spherical_sum(const T& order, const T& t, const T& sine, const T& cosine) {
    const T zero = like(t, 0), one = like(t, 1), inverse = one / t, quarter = order * like(t, 0.25);
    // sin(t - order pi / 2) and cos(t - order pi / 2).
    const T quarters = order - like(t, 4) * round_to_even(quarter - like(t, 0.375));
    const auto is_odd = quarters == one || quarters == like(t, 3);
    const auto is_late = quarters >= like(t, 2), is_outer = quarters == one || quarters == like(t, 2);
    const T sine_size = select(is_odd, cosine, sine), cosine_size = select(is_odd, sine, cosine);
    const T turned_sine = select(is_outer, -sine_size, sine_size);
    const T turned_cosine = select(is_late, -cosine_size, cosine_size);
    T term = one, even = zero, odd = zero;
    for (int k = 0; k <= most_spherical_order; ++k) {
        const T part = k % 4 < 2 ? term : -term;
        (k % 2 == 0 ? even : odd) = (k % 2 == 0 ? even : odd) + part;
        const T next = (order + like(t, k + 1)) * (order - like(t, k));
        term = term * (next * inverse * like(t, 0.5 / (k + 1)));
    }
    return fma(even, turned_sine, odd * turned_cosine);
}

/// spherical_bessel in float64.  Numbers of 2^53 and more are whole.
template <class T>
T spherical_wide(const T& order, const T& number) {
    using std::abs, std::sqrt;
    const T size = abs(number), zero = like(size, 0), half = like(size, 0.5), most = like(size, 0x1p1000);
    const T x = select(size < most, size, most), turns = mirrored_half_turns(x);
    const Circular<T> circular = circular_pi(abs(turns));
    const T sine = with_sign_of(circular.sine.high, turns), cosine = circular.cosine.high;
    const auto is_behind = abs(x - like(x, 2) * round_to_even(x * half)) > half;
    const T t = x * like(x, std::numbers::pi), limit = sqrt(fma(like(x, 4), order, like(x, 6)));
    const auto is_near = t < limit;
    const T near = select(is_near, t, zero), far = select(is_near, limit, t);
    const T series = spherical_series(order, near) * spherical_leading(order, near);
    const T sum = spherical_sum(order, far, sine, select(is_behind, -cosine, cosine)) / far;
    const T value = select(is_near, series, sum);
    const auto is_odd = round_to_even(order * half) != order * half;
    const auto is_known = order <= like(x, most_spherical_order) && !is_inf(size) && !is_nan(size);
    return select(is_known, select(is_odd && number < zero, -value, value),
                  like(x, std::numeric_limits<double>::quiet_NaN()));
}

/// Spherical Bessel function of pi x, of a whole order from 0 to most_spherical_order.  For a negative order
/// it is some finite number, which derivatives multiply by 0.
template <class T>
T spherical_bessel(const T& order, const T& x) {
    using std::abs;
    const auto wide = [](const auto& n, const auto& v) {
        return narrow(v, spherical_wide(abs(widen(n)), widen(v)));
    };
    return by_width(order, x, wide, wide);
}

}  // namespace frisket::formulas
