// SPDX-License-Identifier: MIT
// Computes asin, acos, atan and atan2.
#pragma once
#include "numbers.hpp"

#include <limits>
#include <numbers>

/// asin, acos, atan and the angle of a point.
namespace frisket::formulas {

/// A multiple of pi / 4 from 0 to 4, to twice the digits.
template <class T>
Extended<T> eighths_of_turn(const T& count) {
    const T eighth = like(count, 0x1.921fb54442d18p-1), rest = like(count, 0x1.1a62633145c07p-55);
    const T product = count * eighth;
    return {product, fma(count, rest, fma(count, eighth, -product))};
}

/// The sum of two angles, rounded once or almost; the first is 0 or greater in size.
template <class T>
T sum_of_angles(const Extended<T>& a, const Extended<T>& b) {
    const Extended<T> sum = fast_sum(a.high, b.high);
    return sum.high + (sum.low + (a.low + b.low));
}

/// asin x, |x| <= 1/2, as good as float32 needs.
/// Degree 15, odd; relative error 2^-35.8.  Source: Chebyshev interpolation in 60 digits.
template <class T>
T asin_single_near(const T& x, const T& square) {
    constexpr double terms[] = {0x1.ffffffffe1fddp-1, 0x1.55555644ffd27p-3, 0x1.3332974333413p-4,
                                0x1.6ddd3297735ebp-5, 0x1.ed3310aa58a51p-6, 0x1.93e1363c82c76p-6,
                                0x1.e5084c0c9e239p-8, 0x1.1ca8ba846c6cbp-5};
    return x * polynomial(square, terms);
}

/// asin x - x, |x| <= 1/2.  Degree 27, odd; error 2^-57.4 of asin x.  Source: as in asin_single_near.
template <class T>
T asin_wide_rest(const T& x, const T& square) {
    constexpr double terms[] = {0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5,
                                0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6,
                                0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7,
                                0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
                                0x1.d72b2bc8155f8p-6};
    return x * square * polynomial(square, terms);
}

/// The angle whose sine is the number |x| up to 1/2 or, above, the root of (1 - |x|) / 2: half of acos |x|.
template <class T>
Extended<T> half_angle_wide(const T& size) {
    using std::sqrt;
    const T half = like(size, 0.5), zero = like(size, 0);
    const auto is_far = size > half;
    const T square = select(is_far, half - half * size, size * size);
    const T root = sqrt(square);
    const T sine = select(is_far, root, size);
    const T divisor = select(square > zero, root + root, like(size, 1));
    const T rest = select(is_far, fma(-root, root, square) / divisor, zero);
    return {sine, rest + asin_wide_rest(sine, square)};
}

template <class T>
T asin_single(const T& number) {
    using std::abs, std::sqrt;
    const auto x = widen(number), size = abs(x), half = like(x, 0.5);
    const auto is_far = size > half;
    const auto square = select(is_far, half - half * size, x * x);
    const auto angle = asin_single_near(select(is_far, sqrt(square), size), square);
    const auto far = like(x, std::numbers::pi / 2) - (angle + angle);
    return with_sign_of(narrow(number, select(is_far, far, angle)), number);
}

template <class T>
T asin_wide(const T& x) {
    using std::abs;
    const T size = abs(x), two = like(x, 2);
    const Extended<T> angle = half_angle_wide(size);
    const Extended<T> twice{-(two * angle.high), -(two * angle.low)};
    const T far = sum_of_angles(eighths_of_turn(two), twice);
    return with_sign_of(select(size > like(x, 0.5), far, angle.high + angle.low), x);
}

template <class T>
T acos_single(const T& number) {
    using std::abs, std::sqrt;
    const auto x = widen(number), size = abs(x), half = like(x, 0.5), zero = like(x, 0);
    const auto is_far = size > half, is_negative = x < zero;
    const auto square = select(is_far, half - half * size, x * x);
    const auto angle = asin_single_near(select(is_far, sqrt(square), x), square);
    const auto twice = angle + angle;
    const auto far = select(is_negative, like(x, std::numbers::pi) - twice, twice);
    return narrow(number, select(is_far, far, like(x, std::numbers::pi / 2) - angle));
}

template <class T>
T acos_wide(const T& x) {
    using std::abs;
    const T size = abs(x), zero = like(x, 0), one = like(x, 1), two = like(x, 2), four = like(x, 4);
    const Extended<T> angle = half_angle_wide(size);
    const auto is_far = size > like(x, 0.5), is_negative = x < zero;
    const T base = select(is_far, select(is_negative, four, zero), two);
    const T times = select(is_far, two, one);
    const T factor = select(is_far != is_negative, times, -times);
    return sum_of_angles(eighths_of_turn(base), Extended<T>{factor * angle.high, factor * angle.low});
}

/// atan x, 0 <= x <= 1, as good as float32 needs.
/// Degree 25, odd; relative error 2^-36.4.  Source: as in asin_single_near.
template <class T>
T atan_single_near(const T& x) {
    constexpr double terms[] = {0x1.ffffffffe73c2p-1,  -0x1.55555513c30a5p-2, 0x1.99997c85fb1a4p-3,
                                -0x1.248fb9403e0cfp-3, 0x1.c6df94c4732acp-4,  -0x1.72a7852a1bb8cp-4,
                                0x1.330185be386aep-4,  -0x1.ed569cab9c1b6p-5, 0x1.658d8847a48c6p-5,
                                -0x1.aa150d8e51b33p-6, 0x1.7675ef99379b4p-7,  -0x1.a2d4adcfc1d68p-9,
                                0x1.b7979f2e1b044p-12};
    return x * polynomial(x * x, terms);
}

/// atan x - x, |x| <= tan(pi / 8).  Degree 25, odd; error 2^-58.1 of atan x.  Source: as in asin_single_near.
template <class T>
T atan_wide_rest(const T& x) {
    constexpr double terms[] = {-0x1.5555555555555p-2, 0x1.9999999999953p-3,  -0x1.249249248d7dcp-3,
                                0x1.c71c71c303dbbp-4,  -0x1.745d165dc9713p-4, 0x1.3b1392d519db1p-4,
                                -0x1.110e87b4357d2p-4, 0x1.e19a0bfa3eef9p-5,  -0x1.ac7a5a79b3f26p-5,
                                0x1.74dccfb93fff0p-5,  -0x1.1b311bb48c215p-5, 0x1.0acd9e91a5a35p-6};
    const T square = x * x;
    return x * square * polynomial(square, terms);
}

/// The angle of a point right of the diagonal, 0 <= height <= width, turned: from pi / 2 if `is_steep`, then
/// from pi if `is_left`.  Above pi / 8 it is pi / 4 and the angle of the point turned by that.  What the
/// quotient leaves is added to it: it is small, so that its atan is itself but for a factor of 1 / (1 + t^2).
template <class T>
T angle_wide(const T& height, const T& width, const auto& is_steep, const auto& is_left) {
    const T zero = like(width, 0), one = like(width, 1), two = like(width, 2), four = like(width, 4);
    const auto is_upper = height > width * like(width, 0.41421356237309503);
    const Extended<T> less = fast_sum(-width, height), more = fast_sum(width, height);
    const T above = select(is_upper, less.high, height), above_rest = select(is_upper, less.low, zero);
    const T below = select(is_upper, more.high, width), below_rest = select(is_upper, more.low, zero);
    const T tangent = above / below;
    const T left = fma(-tangent, below, above) + fma(-tangent, below_rest, above_rest);
    const T rest = left / fma(tangent, above, below) + atan_wide_rest(tangent);
    const T first = select(is_upper, one, zero);
    const T second = select(is_steep, two - first, first);
    const T count = select(is_left, four - second, second);
    const auto is_backward = is_steep != is_left;
    const Extended<T> angle{select(is_backward, -tangent, tangent), select(is_backward, -rest, rest)};
    return sum_of_angles(eighths_of_turn(count), angle);
}

template <class T>
T atan_single(const T& number) {
    using std::abs;
    const auto x = widen(abs(number)), one = like(x, 1);
    const auto is_steep = x > one;
    const auto angle = atan_single_near(select(is_steep, one / x, x));
    const auto value = select(is_steep, like(x, std::numbers::pi / 2) - angle, angle);
    return with_sign_of(narrow(number, value), number);
}

/// Gives pi / 2, rounded, for numbers of 2^60 and more.
template <class T>
T atan_wide(const T& x) {
    using std::abs;
    const T one = like(x, 1), huge = like(x, 0x1p60), size = abs(x);
    const T bounded = select(size > huge, huge, size);
    const auto is_steep = bounded > one;
    const T value =
        angle_wide(select(is_steep, one, bounded), select(is_steep, bounded, one), is_steep, one < one);
    return with_sign_of(value, x);
}

/// The sides of a right triangle, whose quotient has the limit that belongs to infinities and zeros.
template <class T>
struct Sides {
    T shorter, longer;
};
template <class T>
Sides<T> sides_of_angle(const T& height, const T& width) {
    const T zero = like(width, 0), one = like(width, 1);
    const T infinity = like(width, std::numeric_limits<double>::infinity());
    const auto is_steep = height > width;
    const T shorter = select(is_steep, width, height), longer = select(is_steep, height, width);
    const T ratio = select(shorter == infinity, one, select(shorter < infinity, zero, shorter));
    const auto is_infinite = longer == infinity;
    return {select(is_infinite, ratio, shorter), select(is_infinite || longer == zero, one, longer)};
}

template <class T>
T atan2_single(const T& y, const T& x) {
    using std::abs;
    const auto height = widen(abs(y)), width = widen(abs(x));
    const auto sides = sides_of_angle(height, width);
    const auto angle = atan_single_near(sides.shorter / sides.longer);
    const auto half = like(width, std::numbers::pi / 2), whole = like(width, std::numbers::pi);
    const auto right = select(height > width, half - angle, angle);
    return with_sign_of(narrow(y, select(sign_bit(x), whole - right, right)), y);
}

/// Scaled such that sums of the sides do not overflow, and that the remainder of their quotient is no
/// denormal unless it is 0.
template <class T>
T atan2_wide(const T& y, const T& x) {
    using std::abs;
    const T height = abs(y), width = abs(x);
    const Sides<T> sides = sides_of_angle(height, width);
    const T one = like(x, 1), small = like(x, 0x1p-500), great = like(x, 0x1p1000);
    const T down = select(sides.longer > great, like(x, 0x1p-100), one);
    const T scale = select(sides.longer < small, like(x, 0x1p600), down);
    const T value = angle_wide(sides.shorter * scale, sides.longer * scale, height > width, sign_bit(x));
    return with_sign_of(value, y);
}

template <class T>
T asin(const T& number) {
    return by_width(
        number, [](const auto& x) { return asin_single(x); }, [](const auto& x) { return asin_wide(x); });
}
template <class T>
T acos(const T& number) {
    return by_width(
        number, [](const auto& x) { return acos_single(x); }, [](const auto& x) { return acos_wide(x); });
}
template <class T>
T atan(const T& number) {
    return by_width(
        number, [](const auto& x) { return atan_single(x); }, [](const auto& x) { return atan_wide(x); });
}
/// The angle of the point (second, first), from -pi to pi.
template <class T>
T atan2(const T& first, const T& second) {
    return by_width(
        first, second, [](const auto& y, const auto& x) { return atan2_single(y, x); },
        [](const auto& y, const auto& x) { return atan2_wide(y, x); });
}

}  // namespace frisket::formulas
