// SPDX-License-Identifier: MIT
// Computes exp, exp2, expm1 and sigmoid.
#pragma once
#include "numbers.hpp"

/// Exponential functions.  An argument is n ln 2 + r, n whole and |r| <= ln(2) / 2: exp is 2^n exp(r).
namespace frisket::formulas {

/// An integer n is stored as 1.5 * 2^52 + n, whose last bits are n's bits; in float32 as 1.5 * 2^23 + n.
constexpr double whole_wide = 0x1.8p52, whole_single = 0x1.8p23;
/// ln 2, rounded, and the rest.
constexpr double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
constexpr double log2_e = 0x1.71547652b82fep+0;

/// 2^n of a float64 as whole_wide + n, for n from -1022 to 1023.
template <class T>
T power_of_two(const T& shifted) {
    const auto bits = to_bits(shifted);
    return from_bits((bits << 52) + bits_like(bits, 0x3ff0'0000'0000'0000));
}

/// x * 2^n of a float64 and whole_wide + n, in two steps, as 2^n may be no normal number.
template <class T>
T times_power(const T& x, const T& shifted) {
    const auto bits = to_bits(shifted), sum = bits + bits_like(bits, 2 * 1023);
    const auto first = sum >> 1, second = sum - first;
    return x * from_bits(first << 52) * from_bits(second << 52);
}

/// (high + low) * 2^n of float64s above 0 and `shifted` = whole_wide + n, rounded once: where the result is
/// below 2^-1022 the sum is rounded next to a number whose last digit has the weight of the result's.
template <class T>
T times_power(const T& high, const T& low, const T& shifted) {
    const auto bits = to_bits(shifted);
    const T edge = from_bits((bits_like(bits, 1) - bits) << 52);  // 2^(-1022 - n), or less than `high`
    const T added = select(high < edge, edge, like(high, 0));
    const Extended<T> sum = fast_sum(added, high);
    return times_power((sum.high + (sum.low + low)) - added, shifted);
}

/// exp of a float64: 2^n times an extended number near 1.
template <class T>
struct Power {
    T shifted;  ///< whole_wide + n
    Extended<T> number;
};

/// r, extended, such that x + rest = n ln 2 + r, for |x| < 800 and a `rest` below the last place of x.
template <class T>
Power<T> reduced_exponent(const T& x, const T& rest) {
    const T shifted = fma(x, like(x, log2_e), like(x, whole_wide)), n = shifted - like(x, whole_wide);
    const T part = fma(n, like(x, -ln2_high), x);  // exact
    return {shifted, fast_sum(part, fma(n, like(x, -ln2_low), rest))};
}

/// start + expm1(r) of |r| <= 0.3466, for a `start` that is 0 or at least 0.5 in size.  The low number is
/// below 1/50 of the high one.
template <class T>
Extended<T> shifted_expm1(const Extended<T>& start, const Extended<T>& r) {
    // (expm1(r) - r - r^2 / 2) / r^3: degree 9 in [-0.3467, 0.3467], error 2^-59.8 of exp(r).
    // Source: Chebyshev interpolation in 60 digits.
    constexpr double terms[] = {0x1.5555555555556p-3,  0x1.5555555555555p-5,  0x1.11111111109b3p-7,
                                0x1.6c16c16c167e1p-10, 0x1.a01a01a7c41d5p-13, 0x1.a01a01a47b054p-16,
                                0x1.71de0dae63bb3p-19, 0x1.27e4e1f48534fp-22, 0x1.af38a9b0ec855p-26,
                                0x1.1f66df7fca49fp-29};
    const T half = r.high * like(r.high, 0.5);
    const Extended<T> square = exact_product(half, r.high);
    const Extended<T> first = fast_sum(start.high, r.high), second = fast_sum(first.high, square.high);
    const T cube = (r.high + r.high) * square.high;
    const T small = second.low + (first.low + (start.low + (r.low + fma(r.high, r.low, square.low))));
    return {second.high, fma(cube, polynomial(r.high, terms), small)};
}

/// exp(high + low) of float64s, as if from one number with the bits of both, rounded once.
template <class T>
T exp_extended(const T& high, const T& low) {
    const T top = like(high, 710), bottom = like(high, -746), zero = like(high, 0);
    const auto is_above = high > top, is_below = high < bottom;
    const T x = select(is_above, top, select(is_below, bottom, high));
    const Power<T> power = reduced_exponent(x, select(is_above || is_below, zero, low));
    const Extended<T> sum = shifted_expm1({like(x, 1), zero}, power.number);
    return times_power(sum.high, sum.low, power.shifted);
}

/// a / b of extended numbers, for b.high of a size from 2^-1021 to 2^1021.
template <class T>
Extended<T> extended_quotient(const Extended<T>& a, const Extended<T>& b) {
    const T inverse = like(a.high, 1) / b.high, quotient = a.high * inverse;
    const T rest = fma(-quotient, b.high, a.high) + fma(-quotient, b.low, a.low);
    return {quotient, rest * inverse};
}

/// exp of a float64 in float64 with few digits, for results in float32: scale * (1 + less_one).
template <class T>
struct ShortPower {
    T scale, less_one;
};

/// 2^n and expm1(r) of a float64 between -700 and 700.
template <class T>
ShortPower<T> short_power(const T& x) {
    // expm1(r) / r: degree 6 in [-0.3467, 0.3467], relative error 2^-31.8.
    // Source: Chebyshev interpolation in 60 digits.
    constexpr double terms[] = {0x1.0000000000000p+0, 0x1.000000287f871p-1, 0x1.55555567532adp-3,
                                0x1.5554accfdb593p-5, 0x1.1110c632a3088p-7, 0x1.6d7543e4127b8p-10,
                                0x1.a15179d80ae96p-13};
    const T shifted = fma(x, like(x, log2_e), like(x, whole_wide)), n = shifted - like(x, whole_wide);
    const T r = fma(n, like(x, -ln2_high), x);
    return {power_of_two(shifted), r * polynomial(r, terms)};
}

/// exp of a float32: 2^n (1 + less_one).
template <class T>
struct SinglePower {
    T shifted;  ///< whole_single + n
    T less_one;
};

/// Parts of exp of a float32 of size below 2^20.
template <class T>
SinglePower<T> single_power(const T& x) {
    // (expm1(r) - r) / r^2: degree 5 in [-0.3467, 0.3467], error 2^-30.5 of exp(r).
    // Source: Chebyshev interpolation in 60 digits, rounded to float32.
    constexpr double terms[] = {0x1.000000p-1, 0x1.555556p-3,  0x1.5554eap-5,
                                0x1.1110e0p-7, 0x1.6d4324p-10, 0x1.a124f2p-13};
    const T shifted = fma(x, like(x, log2_e), like(x, whole_single)), n = shifted - like(x, whole_single);
    // ln 2 as the difference of two.
    const T r = fma(n, like(x, 0x1.05c610p-29), fma(n, like(x, -0x1.62e430p-1), x));
    return {shifted, fma(polynomial(r, terms), r * r, r)};
}

/// 2^n of a float32 as whole_single + n, for n from -126 to 127.
template <class T>
T single_power_of_two(const T& shifted) {
    const auto bits = to_bits(shifted);
    return from_bits((bits << 23) + bits_like(bits, 0x3f80'0000));
}

/// exp of a float32 from -105 to 90.  Results that round to 0 are products with 0: a product that underflows
/// takes processors long.
template <class T>
T exp_bounded(const T& x) {
    const SinglePower<T> power = single_power(x);
    // 2^n in two steps, as it may be no normal number.
    const auto bits = to_bits(power.shifted), sum = bits + bits_like(bits, 2 * 127), half = sum >> 1;
    const T first = from_bits(half << 23), second = from_bits((sum - half) << 23);
    return fma(first, power.less_one, first) * select(x < like(x, -104), like(x, 0), second);
}
template <class T>
T exp_single(const T& x) {
    const T top = like(x, 90), bottom = like(x, -105);
    return exp_bounded(select(x > top, top, select(x < bottom, bottom, x)));
}

template <class T>
T exp(const T& x) {
    return by_width(
        x, [](const auto& v) { return exp_single(v); },
        [](const auto& v) { return exp_extended(v, like(v, 0)); });
}

/// exp2 of a float32, in float64.
template <class T>
T exp2_single(const T& number) {
    // (exp2(r) - 1) / r: degree 6 in [-0.5, 0.5], error 2^-33.2 of exp2(r).
    // Source: Chebyshev interpolation in 60 digits.
    constexpr double terms[] = {0x1.62e42fefa39efp-1, 0x1.ebfbe0460cc0bp-3,  0x1.c6b08d884527ep-5,
                                0x1.3b2a1b516ca7fp-7, 0x1.5d879e9962406p-10, 0x1.44401fae30efep-13,
                                0x1.00a594fd058bap-16};
    const T top = like(number, 130), bottom = like(number, -152);
    const auto x = widen(select(number > top, top, select(number < bottom, bottom, number)));
    const auto shifted = x + like(x, whole_wide), r = x - (shifted - like(x, whole_wide));
    const auto scale = power_of_two(shifted);
    return narrow(number, fma(scale, r * polynomial(r, terms), scale));
}

/// exp2 of a float64: exp of the fraction times ln 2.
template <class T>
T exp2_wide(const T& number) {
    const T top = like(number, 1025), bottom = like(number, -1077);
    const T x = select(number > top, top, select(number < bottom, bottom, number));
    const T shifted = x + like(x, whole_wide), fraction = x - (shifted - like(x, whole_wide));
    Extended<T> r = exact_product(fraction, like(x, ln2_high));
    r.low = fma(fraction, like(x, ln2_low), r.low);
    const Extended<T> sum = shifted_expm1({like(x, 1), like(x, 0)}, r);
    return times_power(sum.high, sum.low, shifted);
}

template <class T>
T exp2(const T& x) {
    return by_width(
        x, [](const auto& v) { return exp2_single(v); }, [](const auto& v) { return exp2_wide(v); });
}

/// expm1 of a float32, in float64.
template <class T>
T expm1_single(const T& number) {
    const T top = like(number, 90), bottom = like(number, -30);
    const auto x = widen(select(number > top, top, select(number < bottom, bottom, number)));
    const auto power = short_power(x);
    const auto value = narrow(number, fma(power.scale, power.less_one, power.scale - like(x, 1)));
    return select(number == like(number, 0), number, value);
}

/// expm1(x) as 2^n times an extended number, for a float64 between -38 and 710, with 2^-n.
template <class T>
struct PowerLessOne {
    T shifted, inverse;
    Extended<T> number;
};
template <class T>
PowerLessOne<T> power_less_one(const T& x) {
    const T zero = like(x, 0), one = like(x, 1);
    const Power<T> power = reduced_exponent(x, zero);
    const T negated = like(x, 2 * whole_wide) - power.shifted;
    const T inverse = select(x > like(x, 50), zero, power_of_two(negated));  // no weight if x > 50
    return {power.shifted, inverse, shifted_expm1(exact_sum(one, -inverse), power.number)};
}

/// expm1 of a float64: 2^n (1 - 2^-n + expm1(r)).
template <class T>
T expm1_wide(const T& number) {
    const T top = like(number, 710), bottom = like(number, -38);
    const T x = select(number > top, top, select(number < bottom, bottom, number));
    const PowerLessOne<T> power = power_less_one(x);
    const T value = times_power(power.number.high + power.number.low, power.shifted);
    return select(number == like(number, 0), number, value);
}

template <class T>
T expm1(const T& x) {
    return by_width(
        x, [](const auto& v) { return expm1_single(v); }, [](const auto& v) { return expm1_wide(v); });
}

/// 1 / (1 + exp(-x)) of a float32, with an exponential that may underflow but never overflows.  That of a
/// negative number, e / (1 + e), is e less e times itself: errors of the quotient are of little weight there.
template <class T>
T sigmoid_single(const T& x) {
    using std::abs;
    const T size = -abs(x), bottom = like(x, -105), one = like(x, 1);
    const T less = exp_bounded(select(size < bottom, bottom, size)), quotient = less / (one + less);
    return select(x < like(x, 0), fma(-less, quotient, less), one - quotient);
}

/// Sigmoid of a float64, with an extended exponential; a result that underflows is multiplied with 2^n last.
template <class T>
T sigmoid_wide(const T& number) {
    using std::abs;
    const T size = -abs(number), bottom = like(number, -746), zero = like(number, 0), one = like(number, 1);
    const T x = select(size < bottom, bottom, size);
    const Power<T> power = reduced_exponent(x, zero);
    const Extended<T> sum_of_terms = shifted_expm1({one, zero}, power.number);
    const Extended<T> less = fast_sum(sum_of_terms.high, sum_of_terms.low);
    const T scale = select(x < like(x, -700), zero, power_of_two(power.shifted));
    Extended<T> sum = fast_sum(one, scale * less.high);
    sum.low = fma(scale, less.low, sum.low);
    const auto is_negative = number < zero;
    const Extended<T> upper = {select(is_negative, less.high, one), select(is_negative, less.low, zero)};
    const Extended<T> value = extended_quotient(upper, sum);
    return times_power(value.high, value.low, select(is_negative, power.shifted, like(x, whole_wide)));
}

template <class T>
T sigmoid(const T& x) {
    return by_width(
        x, [](const auto& v) { return sigmoid_single(v); }, [](const auto& v) { return sigmoid_wide(v); });
}

}  // namespace frisket::formulas
