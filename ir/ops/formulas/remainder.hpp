// SPDX-License-Identifier: MIT
// Computes fmod, hypot and the cosine of a direction.
#pragma once
#include "numbers.hpp"

#include <limits>

/// The exact rest of a division and the length of the hypotenuse.
namespace frisket::formulas {

/// Six times an integer near the quotient by a multiple of the divisor is taken off.  The rest is at most
/// 2^-51 of its former size, or the multiple, and a multiple of the lesser of both numbers' last bits: 53
/// bits hold it.  Quotients of numbers of 24 bits are less than 2^277 = 2^(5 * 51 + 22).
template <class T>
T fmod_single(const T& a, const T& b) {
    using std::abs;
    constexpr double scales[] = {0x1p255, 0x1p204, 0x1p153, 0x1p102, 0x1p51, 1};
    constexpr double inverses[] = {0x1p-255, 0x1p-204, 0x1p-153, 0x1p-102, 0x1p-51, 1};
    const auto size = widen(abs(a)), divisor = widen(abs(b)), inverse = like(size, 1) / divisor;
    auto rest = size;
    for (int k = 0; k < 6; ++k) {
        const auto whole = round_to_even(rest * (inverse * like(size, inverses[k])));
        rest = fma(-whole, divisor * like(size, scales[k]), rest);
    }
    const auto positive = select(rest < like(size, 0), rest + divisor, rest);
    const T infinity = like(a, std::numeric_limits<float>::infinity());
    return select(abs(b) == infinity && abs(a) < infinity, a, with_sign_of(narrow(a, positive), a));
}

/// A number above 0 as significand * 2^(exponent - 1139), with a significand from 2^52 to 2^53 that is whole;
/// numbers below 2^-1022 are scaled by 2^64 before.
template <class T, class Bits>
struct Scaled {
    T significand;
    Bits exponent;
};
template <class T>
auto scaled(const T& x) {
    const auto is_small = x < like(x, 0x1p-1022);
    const auto bits = to_bits(select(is_small, x * like(x, 0x1p64), x));
    const auto fraction = bits & bits_like(bits, 0xfffffffffffff);
    const auto shift = select(is_small, bits_like(bits, 0), bits_like(bits, 64));
    return Scaled{from_bits(fraction | bits_like(bits, 0x4330000000000000)), (bits >> 52) + shift};
}

/// 2^n of a word n + 1023.
template <class T>
T power_of_biased(const auto& biased) {
    return from_bits(biased << 52);
}

/// Integers by a divisor from 2^52 to 2^53, in float64: the remainder is at most divisor / 2 in size,
/// but for a relative 2^-50.
template <class T>
struct Modulus {
    T divisor, inverse;

    /// Takes |x| <= 2^103: both the quotient's error and the remainder are small enough for fma to be exact.
    T reduce(const T& x) const { return fma(-round_to_even(x * inverse), divisor, x); }
    /// Takes a product of two numbers up to divisor / 2: below 2^104.  The first rest is less than 0.88 times
    /// the divisor, and the error of the product is less than 2^50: no digit is lost.
    T multiply(const T& a, const T& b) const {
        const Extended<T> product = exact_product(a, b);
        return reduce(reduce(product.high) + product.low);
    }
};

/// a = m 2^(32 k + j) in units of the divisor's last bit: m 2^j times 2^k squared five times.
template <class T>
T fmod_wide(const T& a, const T& b) {
    using std::abs;
    const T size = abs(a), divisor_size = abs(b), zero = like(a, 0), one = like(a, 1);
    const auto dividend = scaled(size), divisor = scaled(divisor_size);
    const Modulus<T> modulus{divisor.significand, one / divisor.significand};
    const auto exponent = dividend.exponent - divisor.exponent;
    const auto bias = bits_like(exponent, 1023);
    const T low = power_of_biased<T>((exponent & bits_like(exponent, 31)) + bias);
    T power = modulus.reduce(power_of_biased<T>((exponent >> 5) + bias));
    for (int k = 0; k < 5; ++k) power = modulus.multiply(power, power);
    const T rest = modulus.multiply(power, modulus.reduce(dividend.significand * low));
    const T positive = select(rest < zero, rest + divisor.significand, rest);
    const auto half = divisor.exponent >> 1;
    const T first = power_of_biased<T>(half + bits_like(half, 1023 - 570));
    const T second = power_of_biased<T>((divisor.exponent - half) + bits_like(half, 1023 - 569));
    const T value = with_sign_of(positive * first * second, a);
    const T infinity = like(a, std::numeric_limits<double>::infinity());
    const T nan = like(a, std::numeric_limits<double>::quiet_NaN());
    return select(size < infinity && divisor_size > zero, select(size < divisor_size, a, value), nan);
}

/// Rest of a division rounded towards 0, exact; has the sign of the dividend.
template <class T>
T fmod(const T& dividend, const T& divisor) {
    return by_width(
        dividend, divisor, [](const auto& a, const auto& b) { return fmod_single(a, b); },
        [](const auto& a, const auto& b) { return fmod_wide(a, b); });
}

/// Squares of numbers of 24 bits are exact in float64.
template <class T>
T hypot_single(const T& a, const T& b) {
    using std::sqrt;
    const auto x = widen(a), y = widen(b);
    return narrow(a, sqrt(fma(x, x, y * y)));
}

/// The root of a sum of squares to twice the digits, of sides scaled so that the greater square is normal
/// and does not overflow.  The root's own error is found from its square and taken off.
template <class T>
T hypot_wide(const T& a, const T& b) {
    using std::abs, std::sqrt;
    const T x = abs(a), y = abs(b), zero = like(a, 0), one = like(a, 1);
    const auto is_less = x < y;
    const T longer = select(is_less, y, x), shorter = select(is_less, x, y);
    const auto is_great = longer > like(a, 0x1p500), is_small = longer < like(a, 0x1p-400);
    const T up = like(a, 0x1p600), down = like(a, 0x1p-600);
    const T scale = select(is_great, down, select(is_small, up, one));
    const T inverse = select(is_great, up, select(is_small, down, one));
    const T m = longer * scale, n = shorter * scale;
    const Extended<T> first = exact_product(m, m), second = exact_product(n, n);
    const Extended<T> sum = fast_sum(first.high, second.high);
    const T root = sqrt(sum.high);
    const T rest = fma(-root, root, sum.high) + (sum.low + (first.low + second.low));
    const T half = rest / select(root > zero, root + root, one);
    return (root + half) * inverse;
}

/// The length of (first, second); infinite if one is, whatever the other.
template <class T>
T hypot(const T& first, const T& second) {
    const T value = by_width(
        first, second, [](const auto& a, const auto& b) { return hypot_single(a, b); },
        [](const auto& a, const auto& b) { return hypot_wide(a, b); });
    const T infinity = like(first, std::numeric_limits<double>::infinity());
    return select(is_inf(first) || is_inf(second), infinity, value);
}

/// first / |(first, second)|: the cosine of a direction, in float64.
template <class T>
T direction_wide(const T& first, const T& second) {
    using std::abs, std::sqrt;
    const T a = abs(first), b = abs(second), one = like(a, 1);
    const T infinity = like(a, std::numeric_limits<double>::infinity());
    const auto is_less = a < b;
    const T ratio = select(is_less, a, b) / select(is_less, b, a), part = one / sqrt(fma(ratio, ratio, one));
    const T value = select(is_less, ratio * part, part);
    return with_sign_of(select(a == infinity && b < infinity, one, value), first);
}

/// The cosine in float32, of numbers times a power of 2 that makes the greater one from 1 to 4.
template <class T>
T direction_single(const T& first, const T& second) {
    using std::abs, std::sqrt;
    const T a = abs(first), b = abs(second), one = like(a, 1), top = like(a, 0x1p126);
    const T infinity = like(a, std::numeric_limits<double>::infinity()), greater = select(a < b, b, a);
    const auto exponent = to_bits(select(greater < top, greater, top)) >> 23;
    const T scale = from_bits((bits_like(exponent, 254) - exponent) << 23), x = a * scale, y = b * scale;
    const T value = x * (one / sqrt(fma(x, x, y * y)));
    return with_sign_of(select(a == infinity && b < infinity, one, value), first);
}

/// The cosine of a direction, which does not overflow or underflow before its result does.  NaN at (0, 0),
/// and if both are infinite.
template <class T>
T direction(const T& first, const T& second) {
    return by_width(
        first, second, [](const auto& a, const auto& b) { return direction_single(a, b); },
        [](const auto& a, const auto& b) { return direction_wide(a, b); });
}

}  // namespace frisket::formulas
