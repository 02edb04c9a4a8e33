// SPDX-License-Identifier: MIT
// Computes log, log2, log10, log1p, logit and logaddexp.
#pragma once
#include "exponential.hpp"
#include "numbers.hpp"

#include <limits>

/// Logarithms.  An argument is 2^k m, k whole and m from sqrt(1/2) to sqrt(2): log is k ln 2 + log(m), and
/// log(m) = 2 atanh(s) of s = (m - 1) / (m + 1).
namespace frisket::formulas {

/// A positive number as 2^k m.
template <class T>
struct Binary {
    T exponent, mantissa;
};

/// The parts of a normal float64 above 0, with a mantissa between sqrt(1/2) and sqrt(2).
template <class T>
Binary<T> binary_parts(const T& x) {
    const auto bits = to_bits(x), one = bits_like(bits, 0x3ff0'0000'0000'0000);
    const auto root = bits_like(bits, 0x3fe6'a09e'667f'3bcd);
    const auto biased = (bits + (one - root)) >> 52;
    const T exponent = from_bits(biased | bits_like(bits, 0x4330'0000'0000'0000)) - like(x, 0x1p52 + 1023);
    return {exponent, from_bits(bits - (biased << 52) + one)};
}

/// The parts of a float64 above 0, which may be denormal.
template <class T>
Binary<T> any_binary_parts(const T& x) {
    const auto is_denormal = x < like(x, 0x1p-1022);
    const Binary<T> parts = binary_parts(select(is_denormal, x * like(x, 0x1p54), x));
    return {select(is_denormal, parts.exponent - like(x, 54), parts.exponent), parts.mantissa};
}

/// ln 2 of 41 bits, whose product with an exponent is exact, and the rest.
constexpr double ln2_short = 0x1.62e42fefa3000p-1, ln2_rest = 0x1.3de6af278ece6p-42;

/// k ln 2 + 2 atanh(s) of |s| <= 0.1717, with a relative error of 2^-68.
template <class T>
Extended<T> extended_log(const T& k, const Extended<T>& s) {
    // (2 atanh(s) / s - 2 - 2/3 s^2 - 2/5 s^4) / s^6 in z = s^2: degree 6 in [0, 0.02946], error 2^-68.2 of
    // 2 atanh(s).  Source: Chebyshev interpolation in 60 digits.
    constexpr double terms[] = {0x1.2492492492497p-2, 0x1.c71c71c7153dbp-3, 0x1.745d1755142d7p-3,
                                0x1.3b13a51fb6300p-3, 0x1.1115a175c8787p-3, 0x1.e01f7a7818319p-4,
                                0x1.d9c9d982b36eap-4};
    const T twice = s.high + s.high;
    Extended<T> z = exact_product(s.high, s.high);
    z.low = fma(twice, s.low, z.low);
    // 2/5 and 2/3, each as the sum of two.
    const Extended<T> fifth = fast_sum(like(k, 0x1.999999999999ap-2), z.high * polynomial(z.high, terms));
    Extended<T> rest = exact_product(z.high, fifth.high);
    rest.low = fma(z.high, fifth.low + like(k, -0x1.999999999999ap-56), fma(z.low, fifth.high, rest.low));
    const Extended<T> third = fast_sum(like(k, 0x1.5555555555555p-1), rest.high);
    const T third_low = third.low + (rest.low + like(k, 0x1.5555555555555p-55));
    // s^3 times that.
    Extended<T> cube = exact_product(s.high, z.high);
    cube.low = fma(s.high, z.low, fma(s.low, z.high, cube.low));
    Extended<T> tail = exact_product(cube.high, third.high);
    tail.low = fma(cube.high, third_low, fma(cube.low, third.high, tail.low));
    const Extended<T> first = fast_sum(k * like(k, ln2_short), twice);
    const Extended<T> second = fast_sum(first.high, tail.high);
    const T low = fma(k, like(k, ln2_rest), s.low + s.low) + tail.low;
    return fast_sum(second.high, second.low + (first.low + low));
}

/// The parts of the logarithm of a float64: k ln 2 + 2 atanh(s), |s| <= 0.1717.
template <class T>
struct LogParts {
    T k;
    Extended<T> s;
};

/// The parts for a finite number above 0.
template <class T>
LogParts<T> log_parts(const T& x) {
    const Binary<T> parts = any_binary_parts(x);
    const T one = like(x, 1);
    return {parts.exponent,
            extended_quotient({parts.mantissa - one, like(x, 0)}, fast_sum(one, parts.mantissa))};
}
/// The parts for an extended number, `binary` being the parts of its high number.
template <class T>
LogParts<T> log_parts(const Extended<T>& x, const Binary<T>& binary) {
    const T one = like(x.high, 1);
    // The low one times 2^-k, in two steps, as 2^-k may be no normal number.
    const T scale = power_of_two(like(x.high, whole_wide + 1) - binary.exponent);
    const T low = x.low * like(x.high, 0.5) * scale;
    Extended<T> sum = fast_sum(one, binary.mantissa);
    sum.low = sum.low + low;
    return {binary.exponent, extended_quotient(fast_sum(binary.mantissa - one, low), sum)};
}

/// log of a finite float64 above 0, with a relative error of about 2^-67.
template <class T>
Extended<T> log_extended(const T& x) {
    const LogParts<T> parts = log_parts(x);
    return extended_log(parts.k, parts.s);
}

/// 2 atanh(s) of |s| <= 0.1717 without its greatest term, 2 s.high: relative error 2^-59 of the whole.
template <class T>
T rest_of_atanh(const Extended<T>& s, const T& low) {
    // (2 atanh(s) / s - 2) / s^2 in z = s^2: degree 7 in [0, 0.02946], error 2^-60.7 of 2 atanh(s).
    // Source: Chebyshev interpolation in 60 digits.
    constexpr double terms[] = {0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476ab7p-2,
                                0x1.c71c72019401ap-3, 0x1.745cf8ebf8dcep-3, 0x1.3b1c3a931a599p-3,
                                0x1.0fbe0a13127a7p-3, 0x1.0c0951618e529p-3};
    const T z = s.high * s.high;
    return fma(s.high * z, polynomial(z, terms), low + (s.low + s.low));
}

/// k ln 2 + 2 atanh(s), with a relative error of 2^-58; the low number is below 1/100 of the high one.
template <class T>
Extended<T> short_log(const LogParts<T>& parts) {
    const T k = parts.k;
    const Extended<T> sum = fast_sum(k * like(k, ln2_short), parts.s.high + parts.s.high);
    return {sum.high, rest_of_atanh(parts.s, fma(k, like(k, ln2_rest), sum.low))};
}
template <class T>
T rounded_log(const LogParts<T>& parts) {
    const Extended<T> sum = short_log(parts);
    return sum.high + sum.low;
}

/// A logarithm in another base: its values of 2 and of e, each as the sum of two.  Products of exponents with
/// `of_two` are exact.
struct LogBase { double of_two, of_two_rest, of_e, of_e_rest; };
constexpr LogBase base_two = {1, 0, log2_e, 0x1.777d0ffda0d24p-56};
constexpr LogBase base_ten = {0x1.34413509f7000p-2, 0x1.3fde623e2566bp-43, 0x1.bcb7b1526e50ep-2,
                              0x1.95355baaafad3p-57};

template <class T>
T log_wide(const T& x, const LogBase& base) {
    const LogParts<T> parts = log_parts(x);
    const T k = parts.k, zero = like(x, 0), of_e = like(x, base.of_e);
    const T twice = parts.s.high + parts.s.high;
    const Extended<T> natural = fast_sum(twice, rest_of_atanh(parts.s, zero));
    Extended<T> product = exact_product(natural.high, of_e);
    product.low = fma(natural.high, like(x, base.of_e_rest), fma(natural.low, of_e, product.low));
    const Extended<T> sum = fast_sum(k * like(x, base.of_two), product.high);
    return sum.high + (sum.low + fma(k, like(x, base.of_two_rest), product.low));
}

/// The value where `x`, of which a logarithm is taken, is finite and above 0; else the exact result there.
template <class T>
T with_ends_of_log(const T& x, const T& value) {
    const T infinity = like(x, std::numeric_limits<double>::infinity()), zero = like(x, 0);
    const T nan = like(x, std::numeric_limits<double>::quiet_NaN());
    return select(x < infinity, select(x > zero, value, select(x == zero, -infinity, nan)), x);
}

/// log of a float64 in float64 with few digits, for results in float32: k ln 2 + rest.
template <class T>
struct ShortLog {
    T k, rest;
};

/// The parts for a normal number above 0, given with `less_one` = x - 1, which may have more digits than x.
template <class T>
ShortLog<T> short_log_parts(const T& x, const T& less_one) {
    // log1p(f) / f: degree 11 in [-0.2930, 0.4143], relative error 2^-33.0.
    // Source: Chebyshev interpolation in 60 digits.
    constexpr double terms[] = {0x1.0000000034da6p+0,  -0x1.0000001a86733p-1, 0x1.555553a9a3ef8p-2,
                                -0x1.ffffaacf76262p-3, 0x1.999a7d750af9fp-3,  -0x1.5568d5abe7b76p-3,
                                0x1.24883c9fa743dp-3,  -0x1.fc591b637368bp-4, 0x1.c44f1c5d8ebdap-4,
                                -0x1.be65a1218ef54p-4, 0x1.b3b023473854bp-4,  -0x1.dee00731b0d77p-5};
    const Binary<T> parts = binary_parts(x);
    const T f = select(parts.exponent == like(x, 0), less_one, parts.mantissa - like(x, 1));
    return {parts.exponent, f * polynomial(f, terms)};
}
template <class T>
T short_log(const T& x, const T& less_one) {
    const ShortLog<T> parts = short_log_parts(x, less_one);
    return fma(parts.k, like(x, ln2_high), parts.rest);
}

/// log of a float32, in float32.
template <class T>
T log_single(const T& number) {
    // (log1p(f) - f + f^2 / 2) / f^3: degree 8 in [-0.2930, 0.4143], error 2^-28.4 of log1p(f).
    // Source: Chebyshev interpolation in 60 digits, rounded to float32.
    constexpr double terms[] = {0x1.555554p-2,  -0x1.fffffcp-3, 0x1.999d5ap-3,  -0x1.555b4ap-3, 0x1.23d202p-3,
                                -0x1.fcf46ep-4, 0x1.dea430p-4,  -0x1.d6393ep-4, 0x1.1d8e5ep-4};
    const auto is_denormal = number < like(number, 0x1p-126);
    const T x = select(is_denormal, number * like(number, 0x1p23), number), zero = like(x, 0);
    const auto bits = to_bits(x), one = bits_like(bits, 0x3f80'0000);
    const auto biased = (bits + (one - bits_like(bits, 0x3f35'04f3))) >> 23;
    const T exponent = from_bits(biased | bits_like(bits, 0x4b00'0000)) - like(x, 0x1p23 + 127);
    const T k = exponent - select(is_denormal, like(x, 23), zero);
    const T f = from_bits(bits - (biased << 23) + one) - like(x, 1), square = f * f;
    // ln 2 as the sum of two.
    const T cube = fma(k, like(x, -0x1.05c610p-29), (f * square) * polynomial(f, terms));
    const T sum = f + fma(like(x, -0.5), square, cube);
    return with_ends_of_log(number, fma(k, like(x, 0x1.62e430p-1), sum));
}

template <class T>
T log(const T& x) {
    return by_width(
        x, [](const auto& v) { return log_single(v); },
        [](const auto& v) { return with_ends_of_log(v, rounded_log(log_parts(v))); });
}

/// log2 or log10 of a float32, in float64.
template <class T>
T log_single(const T& number, const LogBase& base) {
    const auto x = widen(number);
    const auto parts = short_log_parts(x, x - like(x, 1));
    const auto scaled = fma(parts.rest, like(x, base.of_e), parts.k * like(x, base.of_two));
    return narrow(number, with_ends_of_log(x, fma(parts.k, like(x, base.of_two_rest), scaled)));
}

template <class T>
T log2(const T& x) {
    return by_width(
        x, [](const auto& v) { return log_single(v, base_two); },
        [](const auto& v) { return with_ends_of_log(v, log_wide(v, base_two)); });
}

template <class T>
T log10(const T& x) {
    return by_width(
        x, [](const auto& v) { return log_single(v, base_ten); },
        [](const auto& v) { return with_ends_of_log(v, log_wide(v, base_ten)); });
}

/// log1p of a float32, in float64.
template <class T>
T log1p_single(const T& number) {
    const auto x = widen(number), sum = x + like(x, 1);
    const auto value = narrow(number, with_ends_of_log(sum, short_log(sum, x)));
    return select(number == like(number, 0), number, value);
}

/// log1p of a float64: log of the extended sum.
template <class T>
T log1p_wide(const T& x) {
    using std::abs;
    const Extended<T> sum = exact_sum(like(x, 1), x);
    const T value = rounded_log(log_parts(sum, binary_parts(sum.high)));
    return select(abs(x) < like(x, 0x1p-60), x, with_ends_of_log(sum.high, value));
}

template <class T>
T log1p(const T& x) {
    return by_width(
        x, [](const auto& v) { return log1p_single(v); }, [](const auto& v) { return log1p_wide(v); });
}

/// log(x / (1 - x)) of a float32, in float64; the quotient less 1 is (2 x - 1) / (1 - x).
template <class T>
T logit_single(const T& number) {
    const auto x = widen(number), one = like(x, 1), inverse = one / (one - x);
    const auto quotient = x * inverse;
    const auto value = short_log(quotient, fma(x, like(x, 2), -one) * inverse);
    return narrow(number, with_ends_of_log(quotient, value));
}

/// Logit of a float64: 2 atanh(2 x - 1) where that is small, else log of the extended quotient.  Where x
/// is small the quotient is x, times 2^100, as it may be denormal.
template <class T>
T logit_wide(const T& x) {
    using std::abs;
    const T zero = like(x, 0), one = like(x, 1), doubled = fma(x, like(x, 2), -one);
    const auto is_middle = abs(doubled) < like(x, 0.171), is_small = x < like(x, 0x1p-60);
    const Extended<T> divided = extended_quotient({x, zero}, fast_sum(one, -x));
    const Extended<T> quotient = {select(is_small, x * like(x, 0x1p100), divided.high),
                                  select(is_small, zero, divided.low)};
    LogParts<T> parts = log_parts(quotient, binary_parts(quotient.high));
    const T k = select(is_small, parts.k - like(x, 100), parts.k);
    parts = {select(is_middle, zero, k),
             {select(is_middle, doubled, parts.s.high), select(is_middle, zero, parts.s.low)}};
    return with_ends_of_log(quotient.high, rounded_log(parts));
}

template <class T>
T logit(const T& x) {
    return by_width(
        x, [](const auto& v) { return logit_single(v); }, [](const auto& v) { return logit_wide(v); });
}

/// Two operands: the greater one, or NaN, and the other.
template <class T>
struct Ordered {
    T greater, less;
};
template <class T>
Ordered<T> ordered(const T& a, const T& b) {
    const auto is_first = is_nan(a) || a > b;
    return {select(is_first, a, b), select(is_first, b, a)};
}

/// log(exp(a) + exp(b)) of float32s, in float64: the greater one plus log1p(exp(less - greater)).
template <class T>
T logaddexp_single(const T& a, const T& b) {
    const auto pair = ordered(widen(a), widen(b));
    const auto greater = pair.greater, bottom = like(greater, -150), difference = pair.less - greater;
    const auto power = short_power(select(difference < bottom, bottom, difference));
    const auto ratio = fma(power.scale, power.less_one, power.scale);
    const auto sum = greater + short_log(ratio + like(ratio, 1), ratio);
    return narrow(a, select(is_inf(greater), greater, sum));
}

/// Logaddexp of float64s, with an extended exponential and logarithm.
template <class T>
T logaddexp_wide(const T& a, const T& b) {
    const Ordered<T> pair = ordered(a, b);
    const T greater = pair.greater, zero = like(a, 0), one = like(a, 1), bottom = like(a, -746);
    const Extended<T> difference = exact_sum(pair.less, -greater);
    const auto is_below = difference.high < bottom;
    const T x = select(is_below, bottom, difference.high);
    const Power<T> power = reduced_exponent(x, select(is_below, zero, difference.low));
    const Extended<T> less = shifted_expm1({one, zero}, power.number);
    // The ratio: where it is below 1e-217 its low number is of no weight.
    const Extended<T> number = fast_sum(less.high, less.low);
    const T ratio = times_power(number.high, number.low, power.shifted);
    const T scale = select(x < like(x, -500), zero, power_of_two(power.shifted));
    const T rest = number.low * scale;
    Extended<T> sum = fast_sum(one, ratio);
    sum.low = sum.low + rest;
    const Extended<T> value = short_log(log_parts(sum, binary_parts(sum.high)));
    const auto is_small = ratio < like(a, 0x1p-30);  // log1p by its series
    const Extended<T> total = exact_sum(greater, select(is_small, ratio, value.high));
    const T low = select(is_small, fma(ratio * like(a, -0.5), ratio, rest), value.low);
    const T result = total.high + (total.low + low);
    return select(is_inf(greater), greater, result);
}

template <class T>
T logaddexp(const T& a, const T& b) {
    return by_width(
        a, b, [](const auto& v, const auto& w) { return logaddexp_single(v, w); },
        [](const auto& v, const auto& w) { return logaddexp_wide(v, w); });
}

}  // namespace frisket::formulas
