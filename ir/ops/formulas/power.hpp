// SPDX-License-Identifier: MIT
// Computes powers of floats with the special cases of C99.
#pragma once
#include "exponential.hpp"
#include "logarithm.hpp"
#include "numbers.hpp"

#include <cmath>
#include <limits>

/// x^y of floats: exp2(y log2(x)) or exp(y log(x)) with the digits that the result needs.
namespace frisket::formulas {

/// pow(x, y) with the values of C99 Annex F, given the value for |x| above 0 and finite, and finite y.
template <class T>
T power_of_any(const T& x, const T& y, const T& value) {
    using std::abs;
    const T zero = like(x, 0), one = like(x, 1), infinity = like(x, std::numeric_limits<double>::infinity());
    const T nan = like(x, std::numeric_limits<double>::quiet_NaN());
    const T base = abs(x), half = y * like(x, 0.5);
    const auto is_extreme = base == zero || base == infinity || abs(y) == infinity;
    const T small = select(y < zero, infinity, zero), large = select(y < zero, zero, infinity);
    const T size = select(is_extreme, select(base < one, small, large), value);
    // An integer is odd if its half is not whole.
    const auto is_whole = round_to_even(y) == y, is_odd = is_whole && round_to_even(half) != half;
    const T with_sign = select(is_odd, with_sign_of(size, x), size);
    const auto has_none = x < zero && base < infinity && !is_whole;
    const T known = select(is_nan(x) || is_nan(y), x + y, select(has_none, nan, with_sign));
    return select(x == one || y == zero || (base == one && abs(y) == infinity), one, known);
}

/// x^y of float32s in float64.
template <class T>
T pow_single(const T& x, const T& y) {
    using std::abs;
    // log2(1 + f) / f: degree 14 in [-0.2930, 0.4143], error 2^-40.6.
    // Source: Remez' algorithm in 50 digits.
    constexpr double log_terms[] = {
        1.442695040889433,   -0.7213475204277547,  0.48089834652282865, -0.3606737651229969,
        0.2885390784626009,  -0.24044879257173613, 0.20609493058261777, -0.18034794916542904,
        0.16043114910453354, -0.14417242010194592, 0.12911196724759455, -0.11919938276493892,
        0.12594238782338468, -0.12504893894899402, 0.06497643502800644,
    };
    // (exp2(r) - 1) / r: degree 6 in [-0.5, 0.5], error 2^-33.2 of exp2(r).
    // Source: Chebyshev interpolation in 60 digits.
    constexpr double exp_terms[] = {
        0x1.62e42fefa39efp-1,  0x1.ebfbe0460cc0bp-3,  0x1.c6b08d884527ep-5,  0x1.3b2a1b516ca7fp-7,
        0x1.5d879e9962406p-10, 0x1.44401fae30efep-13, 0x1.00a594fd058bap-16,
    };
    const auto base = widen(abs(x)), one = like(base, 1);
    const Binary parts = binary_parts(base);
    const auto f = parts.mantissa - one;
    const auto exponent = fma(f, polynomial(f, log_terms), parts.exponent) * widen(y);
    const auto top = like(base, 130), bottom = like(base, -152);
    const auto e = select(exponent > top, top, select(exponent < bottom, bottom, exponent));
    const auto shifted = e + like(base, whole_wide), r = e - (shifted - like(base, whole_wide));
    const auto scale = power_of_two(shifted);
    return power_of_any(x, y, narrow(x, fma(scale, r * polynomial(r, exp_terms), scale)));
}

/// x^y of float64s.
template <class T>
T pow_wide(const T& x, const T& y) {
    using std::abs;
    const T one = like(x, 1), base = abs(x), infinity = like(x, std::numeric_limits<double>::infinity());
    const Extended<T> logarithm = log_extended(select(base > like(x, 0) && base < infinity, base, one));
    // Every power but 0 or 1 is beyond float64 if |y| is 2^64 or more.
    const T most = like(x, 0x1p64), power = select(y > most, most, select(y < -most, -most, y));
    const Extended<T> product = exact_product(logarithm.high, power);
    const T value = exp_extended(product.high, fma(logarithm.low, power, product.low));
    return power_of_any(x, y, value);
}

/// The greatest size of a whole exponent for which a power of float32s is a product.
constexpr int most_power = 8;

/// True if loops have a shorter formula for floats and this exponent, if they know it: products.
inline bool has_product_form(double power, bool is_float64) {
    if (is_float64) return power == 2;
    return power >= -most_power && power <= most_power && power == static_cast<int>(power);
}

/// x^y for whole y up to most_power in size: products in float64, so that one rounding remains for float32.
template <class T>
T power_by_products(const T& x, const T& y) {
    using std::abs, std::trunc;
    auto square = widen(x), result = like(square, 1);
    const auto one = result;
    T rest = abs(y);
    for (int bit = 1; bit <= most_power; bit *= 2) {
        const T half = rest * like(x, 0.5);
        rest = trunc(half);
        result = result * select(rest != half, square, one);
        square = square * square;
    }
    return narrow(x, select(y < like(y, 0), one / result, result));
}

/// x^y.
template <class T>
T pow(const T& x, const T& y) {
    return by_width(
        x, y,
        [](const auto& a, const auto& b) {
            using std::abs;
            const auto zero = like(b, 0), most = like(b, most_power);
            const auto is_small = abs(b) <= most && round_to_even(b) == b;
            return select(is_small, power_by_products(a, select(is_small, b, zero)), pow_single(a, b));
        },
        [](const auto& a, const auto& b) { return select(b == like(b, 2), a * a, pow_wide(a, b)); });
}

}  // namespace frisket::formulas
