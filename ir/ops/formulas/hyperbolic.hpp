// SPDX-License-Identifier: MIT
// Computes hyperbolic functions and their inverses.
#pragma once
#include "exponential.hpp"
#include "logarithm.hpp"
#include "numbers.hpp"

/// Hyperbolic functions and their inverses.
namespace frisket::formulas {

/// sinh or cosh of a float32 in float64: for n ln 2 + r they are cosh(r) times the same function of n ln 2,
/// plus sinh(r) times the other function of it.
template <class T>
T hyperbolic_single(const T& number, bool is_odd) {
    // sinh(r) / r and cosh(r) in z = r^2: degree 3 in [0, 0.1202], relative errors 2^-37.7 and 2^-34.5.
    // Source: Chebyshev interpolation in 60 digits.
    constexpr double odd_terms[] = {0x1.fffffffff61ddp-1, 0x1.5555557e7777ep-3, 0x1.1110a6173845ep-7,
                                    0x1.a17e052cd2c8fp-13};
    constexpr double even_terms[] = {0x1.ffffffffa7011p-1, 0x1.0000005c981fcp-1, 0x1.555464884204ep-5,
                                     0x1.6da767a4988a9p-10};
    const T top = like(number, 90);
    const auto x = widen(select(number > top, top, select(number < -top, -top, number)));
    const auto shifted = fma(x, like(x, log2_e), like(x, whole_wide)), n = shifted - like(x, whole_wide);
    const auto r = fma(n, like(x, -ln2_high), x), z = r * r;
    const auto power = power_of_two(shifted - like(x, 1));
    const auto inverse = power_of_two((like(x, 2 * whole_wide) - shifted) - like(x, 1));
    const auto sum = power + inverse, difference = power - inverse;
    const auto odd = r * polynomial(z, odd_terms), even = polynomial(z, even_terms);
    return narrow(number, is_odd ? fma(sum, odd, difference * even) : fma(sum, even, difference * odd));
}

/// Twice sinh or cosh of n ln 2 + r, over 2^n, of float64s, by the factors of the terms with even powers of r
/// and of the terms with odd powers.
template <class T>
Extended<T> hyperbolic_sum(const Extended<T>& even, const Extended<T>& odd, const Extended<T>& r) {
    // (sinh(r) - r) / r^3 and (cosh(r) - 1 - r^2 / 2) / r^4 in z = r^2: degree 4 in [0, 0.1202], errors
    // 2^-58.8 of sinh(r) and 2^-64.2 of cosh(r).  Source: Chebyshev interpolation in 60 digits.
    constexpr double odd_terms[] = {0x1.5555555555556p-3, 0x1.11111111109b3p-7, 0x1.a01a01a7c41d5p-13,
                                    0x1.71de0dae63bb3p-19, 0x1.af38a9b0ec855p-26};
    constexpr double even_terms[] = {0x1.5555555555555p-5, 0x1.6c16c16c167e1p-10, 0x1.a01a01a47b054p-16,
                                     0x1.27e4e1f48534fp-22, 0x1.1f66df7fca49fp-29};
    const T half = r.high * like(r.high, 0.5), z = r.high * r.high;
    const Extended<T> square = exact_product(half, r.high);
    const Extended<T> linear = exact_product(odd.high, r.high);
    const Extended<T> quadratic = exact_product(even.high, square.high);
    const Extended<T> first = fast_sum(even.high, linear.high), second = fast_sum(first.high, quadratic.high);
    // Rests of the terms of degrees 0 to 2.
    const T by_odd = fma(odd.high, r.low, fma(odd.low, r.high, linear.low));
    const T by_even = fma(even.high, fma(r.high, r.low, square.low), quadratic.low + even.low);
    const T rest = second.low + (first.low + (by_odd + by_even));
    const T quartic = fma((even.high * z) * z, polynomial(z, even_terms), rest);
    return {second.high, fma((odd.high * r.high) * z, polynomial(z, odd_terms), quartic)};
}

/// sinh or cosh of |x|, a float64.
template <class T>
T hyperbolic_wide(const T& number, bool is_odd) {
    using std::abs;
    const T size = abs(number), top = like(number, 712), zero = like(number, 0), one = like(number, 1);
    const Power<T> power = reduced_exponent(select(size > top, top, size), zero);
    // 2^-2n, of no weight if n > 50; 2 cosh(n ln 2) and 2 sinh(n ln 2) over 2^n are 1 plus it and 1 less it.
    const T n = power.shifted - like(one, whole_wide);
    const T small = select(n > like(one, 50), zero, power_of_two(like(one, whole_wide) - (n + n)));
    const Extended<T> sum = fast_sum(one, small), difference = fast_sum(one, -small);
    const Extended<T> value = is_odd ? hyperbolic_sum(difference, sum, power.number)
                                     : hyperbolic_sum(sum, difference, power.number);
    return times_power(value.high + value.low, power.shifted - one);
}

template <class T>
T sinh(const T& x) {
    return with_sign_of(by_width(
                            x, [](const auto& v) { return hyperbolic_single(v, true); },
                            [](const auto& v) { return hyperbolic_wide(v, true); }),
                        x);
}

template <class T>
T cosh(const T& x) {
    return by_width(
        x, [](const auto& v) { return hyperbolic_single(v, false); },
        [](const auto& v) { return hyperbolic_wide(v, false); });
}

/// 1 / cosh(x): 2 u / (1 + u^2) of u = exp(-|x|), which does not overflow.
template <class T>
T sech_single(const T& number) {
    using std::abs;
    const T size = -abs(number), bottom = like(number, -105);
    const T u = exp_bounded(select(size < bottom, bottom, size));
    return (u + u) / fma(u, u, like(u, 1));
}
template <class T>
T sech_wide(const T& x) {
    using std::abs;
    const T u = exp_extended(-abs(x), like(x, 0));
    return (u + u) / fma(u, u, like(x, 1));
}
template <class T>
T sech(const T& x) {
    return by_width(
        x, [](const auto& v) { return sech_single(v); }, [](const auto& v) { return sech_wide(v); });
}

/// tanh of |x|, a float32, in float32: y / (1 + y) of y = expm1(2 |x|) / 2.  That is y less y times itself,
/// and 1 less 1 / (1 + y): errors of the quotient are of little weight in the first if y < 1, else in the
/// second.
template <class T>
T tanh_single(const T& number) {
    using std::abs;
    const T size = abs(number), top = like(number, 10), half = like(number, 0.5), one = like(number, 1);
    const T x = select(size > top, top, size);
    const SinglePower<T> power = single_power(x + x);
    const T scale = single_power_of_two(power.shifted) * half;
    const T y = fma(scale, power.less_one, scale - half), dividend = select(y < one, y, one);
    return fma(-dividend, dividend / (one + y), dividend);
}

/// tanh of |x|, a float64: the same in extended numbers over 2^n.
template <class T>
T tanh_wide(const T& x) {
    using std::abs;
    const T size = abs(x), top = like(x, 20), half_x = select(size > top, top, size);
    const PowerLessOne<T> power = power_less_one(half_x + half_x);
    const Extended<T> number = fast_sum(power.number.high, power.number.low);
    Extended<T> divisor = exact_sum(power.inverse + power.inverse, number.high);
    divisor.low = divisor.low + number.low;
    const Extended<T> value = extended_quotient(number, divisor);
    return value.high + value.low;
}

template <class T>
T tanh(const T& x) {
    return with_sign_of(
        by_width(
            x, [](const auto& v) { return tanh_single(v); }, [](const auto& v) { return tanh_wide(v); }),
        x);
}

/// asinh of |x|, a float32, in float64: log of |x| + sqrt(x^2 + 1), or the start of its series.
template <class T>
T asinh_single(const T& number) {
    using std::abs, std::sqrt;
    const auto x = abs(widen(number)), one = like(x, 1), square = x * x, root = sqrt(square + one);
    const auto value = short_log(x + root, x + (root - one));
    const auto series = fma(x * square, like(x, -1.0 / 6), x);
    return narrow(number, with_ends_of_log(x + one, select(x < like(x, 0x1p-8), series, value)));
}

/// sqrt of an extended number.
template <class T>
Extended<T> extended_sqrt(const Extended<T>& x) {
    using std::sqrt;
    const T root = sqrt(x.high), rest = fma(-root, root, x.high) + x.low;
    return {root, rest * (like(root, 0.5) / root)};
}

/// log of x + sqrt(x^2 + unit) of a float64, with unit = 1 or -1, or of 2 x where that is as good.
template <class T>
T log_of_sum(const T& x, const T& unit) {
    const auto is_large = x > like(x, 0x1p60);
    const T zero = like(x, 0), one = like(x, 1), size = select(is_large, one, x);
    const Extended<T> square = exact_product(size, size), sum = exact_sum(square.high, unit);
    const Extended<T> root = extended_sqrt(fast_sum(sum.high, sum.low + square.low));
    Extended<T> total = exact_sum(size, root.high);
    total.low = total.low + root.low;
    total = {select(is_large, x, total.high), select(is_large, zero, total.low)};
    LogParts<T> parts = log_parts(total, binary_parts(total.high));
    parts.k = select(is_large, parts.k + one, parts.k);
    return rounded_log(parts);
}

/// asinh of |x|, a float64.
template <class T>
T asinh_wide(const T& number) {
    using std::abs;
    const T x = abs(number), one = like(x, 1);
    return with_ends_of_log(x + one, select(x < like(x, 0x1p-30), x, log_of_sum(x, one)));
}

template <class T>
T asinh(const T& x) {
    return with_sign_of(
        by_width(
            x, [](const auto& v) { return asinh_single(v); }, [](const auto& v) { return asinh_wide(v); }),
        x);
}

/// The value where the argument is finite and at least 1; else the exact result of acosh there.
template <class T>
T with_ends_of_acosh(const T& x, const T& value) {
    const T nan = like(x, std::numeric_limits<double>::quiet_NaN());
    const T infinity = like(x, std::numeric_limits<double>::infinity());
    return select(x < infinity, select(x < like(x, 1), nan, value), x);
}

/// acosh of a float32, in float64: log of x + sqrt(x^2 - 1).
template <class T>
T acosh_single(const T& number) {
    using std::sqrt;
    const auto x = widen(number), one = like(x, 1), root = sqrt(fma(x, x, -one));
    return narrow(number, with_ends_of_acosh(x, short_log(x + root, (x - one) + root)));
}

/// acosh of a float64.
template <class T>
T acosh_wide(const T& x) {
    const T one = like(x, 1);
    return with_ends_of_acosh(x, select(x == one, like(x, 0), log_of_sum(x, -one)));
}

template <class T>
T acosh(const T& x) {
    return by_width(
        x, [](const auto& v) { return acosh_single(v); }, [](const auto& v) { return acosh_wide(v); });
}

/// atanh of |x|, a float32, in float64: half the log of (1 + |x|) / (1 - |x|), a quotient whose distance from
/// 1 is 2 |x| / (1 - |x|).
template <class T>
T atanh_single(const T& number) {
    using std::abs;
    const auto x = abs(widen(number)), one = like(x, 1), inverse = one / (one - x);
    const auto quotient = (one + x) * inverse;
    const auto value = short_log(quotient, (x + x) * inverse) * like(x, 0.5);
    return narrow(number, with_ends_of_log(quotient, value));
}

/// atanh of |x|, a float64: by its series where that is small, else half the log of the extended quotient.
template <class T>
T atanh_wide(const T& number) {
    using std::abs;
    const T x = abs(number), zero = like(x, 0), one = like(x, 1);
    const Extended<T> quotient = extended_quotient(fast_sum(one, x), fast_sum(one, -x));
    LogParts<T> parts = log_parts(quotient, binary_parts(quotient.high));
    const auto is_small = x < like(x, 0.171);
    parts.k = select(is_small, zero, parts.k);
    parts.s = {select(is_small, x, parts.s.high), select(is_small, zero, parts.s.low)};
    return with_ends_of_log(quotient.high, rounded_log(parts) * like(x, 0.5));
}

template <class T>
T atanh(const T& x) {
    return with_sign_of(
        by_width(
            x, [](const auto& v) { return atanh_single(v); }, [](const auto& v) { return atanh_wide(v); }),
        x);
}

}  // namespace frisket::formulas
