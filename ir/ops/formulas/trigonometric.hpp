// SPDX-License-Identifier: MIT
// Computes sine, cosine, tangent and sinc, with exact reduction of large angles.
#pragma once
#include "numbers.hpp"

#include <limits>
#include <numbers>

/// sin, cos, tan of every number, sin and tan of multiples of pi, sinc.  An angle is divided by pi with as
/// many digits of 1 / pi as it needs: those before count whole turns and are left out, those after are 0.
namespace frisket::formulas {

/// A number of half or quarter turns as an integer and the rest, which is the nearest to 0 or almost.
template <class T>
struct Turns {
    Extended<T> rest;
    T mark;  ///< 1.5 * 2^52 + the integer, which so is in its lowest bits
};

/// The value with its sign changed where the lowest bit is 1.
template <class T>
T flip_sign(const T& x, const auto& bits) {
    return from_bits(to_bits(x) ^ (bits << 63));
}

/// x / pi - offset for x of 24 bits in float64, to 2^-59 or a relative 2^-52; the rest is at most 1/2 + 1/16.
/// Two numbers have the digits of 1 / pi that matter for the size of x: multiples of 2^(24 - e) contribute
/// full turns for x >= 2^e.  Both products are exact, or as good as, so that a rest near 0 is too.
/// Source: 1 / pi in 700 digits.
template <class T>
Turns<T> half_turns_single(const T& x, double offset) {
    using std::abs;
    constexpr double limits[] = {0x1p50, 0x1p76, 0x1p102};
    constexpr double firsts[] = {0x1.45f306dc9c883p-2, -0x1.1b1bbead603d9p-29, -0x1.5ac07b1505c16p-54,
                                 -0x1.505c1596447e5p-82};
    constexpr double seconds[] = {-0x1.6b01ec5417056p-56, 0x1.5f47d4d377037p-83, 0x1.a6ee06db14acdp-108,
                                  0x1.b14acc9e21c82p-136};
    T first = like(x, firsts[3]), second = like(x, seconds[3]);
    for (int k = 2; k >= 0; --k) {
        const auto is_below = abs(x) < like(x, limits[k]);
        first = select(is_below, like(x, firsts[k]), first);
        second = select(is_below, like(x, seconds[k]), second);
    }
    const T magic = like(x, 0x1.8p52), shift = like(x, offset), product = x * first;
    const T mark = (product - shift) + magic;
    const T rest = (product - (mark - magic)) - shift;
    return {{rest + fma(x, second, fma(x, first, -product)), like(x, 0)}, mark};
}

/// sin(pi x), |x| <= 1/2 + 1/32, as good as float32 needs.
/// Degree 11, odd; relative error 2^-34.1.  Source: Chebyshev interpolation in 60 digits.
template <class T>
T sin_pi_single(const T& x) {
    constexpr double terms[] = {0x1.921fb54406086p+1,  -0x1.4abbce4410cd9p+2, 0x1.466bbcac6b1a3p+1,
                                -0x1.32d07b8a4347dp-1, 0x1.4ff903be3a86fp-4,  -0x1.c9c9ba4f6445cp-8};
    return x * polynomial(x * x, terms);
}

template <class T>
T sin_single(const T& number) {
    const auto x = widen(number);
    const auto turns = half_turns_single(x, 0);
    const auto value = flip_sign(sin_pi_single(turns.rest.high), to_bits(turns.mark));
    return select(number == like(number, 0), number, narrow(number, value));
}

template <class T>
T cos_single(const T& number) {
    const auto turns = half_turns_single(widen(number), 0.5);
    return narrow(number, flip_sign(sin_pi_single(-turns.rest.high), to_bits(turns.mark)));
}

/// A quotient of polynomials for tan(pi r / 2), |r| <= 1/2 + 1/16; for odd quarters of a turn the opposite of
/// its inverse.  Degrees 5, odd, and 4, even; relative error 2^-33.3.  Source: as in sin_pi_single.
template <class T>
T tan_single(const T& number) {
    constexpr double above[] = {0x1.921fb544a9cabp+0, -0x1.ba35a259acbf5p-2, 0x1.52360ba78a92cp-7};
    constexpr double below[] = {1, -0x1.18ee6f6654d42p+0, 0x1.8eecc9da7a03cp-4};
    const auto x = widen(number);
    const auto turns = half_turns_single(x + x, 0);
    const auto r = turns.rest.high, z = r * r;
    const auto sine = r * polynomial(z, above), cosine = polynomial(z, below);
    const auto bits = to_bits(turns.mark);
    const auto is_odd = (bits & bits_like(bits, 1)) != bits_like(bits, 0);
    const auto value = select(is_odd, -cosine, sine) / select(is_odd, sine, cosine);
    return select(number == like(number, 0), number, narrow(number, value));
}

/// Five pieces of 1 / (2 pi), times 2^500, whose sum is to be multiplied with x 2^-500; scaled, both, by
/// 2^848 more where x is huge.
template <class T>
struct PiecesOfTurns {
    T x;
    T pieces[20];
};

/// The k-th piece of 1 / (2 pi) is a multiple of 2^(-53 (k + 1)), and at most 2^52 times that: the first that
/// matters is the k-th for x of 2^(53 k + 52) and more, whose multiples before are whole turns.  Pieces move
/// to the front by 16, 8, 4, 2, 1 positions.  Source: 1 / (2 pi) in 700 digits.
template <class T>
PiecesOfTurns<T> pieces_of_turns(const T& number) {
    using std::abs;
    constexpr double near[20] = {
        0x1.45f306dc9c884p+497,  -0x1.5ac07b1505c16p+445, 0x1.a6ee06db14accp+391,  0x1.3c439041fe518p+338,
        -0x1.c5421443a9e48p+286, -0x1.b7238b7b645a4p+233, 0x1.924bba8274600p+172,  0x1.21cfe1deb1cb0p+126,
        0x1.29a73ee882360p+74,   -0x1.5a28976f62cc8p+21,  0x1.c09ad17df904ep-32,   0x1.91d63983533a0p-86,
        -0x1.6c6f740e8840cp-139, -0x1.af89c00ed0004p-191, -0x1.fa67f010d0ee8p-246, 0x1.6b414da3eda70p-299,
        -0x1.8130d834f648cp-350, 0x1.e8c7ecd3cbfd4p-403,  0x1.6ba93dd63f5f4p-457,  -0x1.0742617c63044p-509};
    constexpr double far[7] = {-0x1.8130d834f648cp+498, 0x1.e8c7ecd3cbfd4p+445, 0x1.6ba93dd63f5f4p+391,
                               -0x1.0742617c63044p+339, 0x1.4a525d4d7f6c0p+285, -0x1.3b81ca8bdea80p+232,
                               0x1.98237e3db5d60p+179};
    constexpr double limits[] = {0x1p-24, 0x1p-236, 0x1p-342, 0x1p-395};
    constexpr double scales[] = {0x1p-424, 0x1p-212, 0x1p-106, 0x1p-53};
    const auto is_far = abs(number) >= like(number, 0x1p900);
    const T scaled = number * like(number, 0x1p-500);
    PiecesOfTurns<T> window{select(is_far, scaled * like(number, 0x1p-848), scaled), {}};
    for (int k = 0; k < 20; ++k) {
        const T piece = like(number, near[k]);
        window.pieces[k] = k < 7 ? select(is_far, like(number, far[k]), piece) : piece;
    }
    T size = abs(window.x);
    for (int step = 0; step < 4; ++step) {
        const int places = 8 >> step;
        const auto is_beyond = size >= like(number, limits[step]);
        for (int k = 0; k < places + 4; ++k)
            window.pieces[k] = select(is_beyond, window.pieces[k + places], window.pieces[k]);
        size = select(is_beyond, size * like(number, scales[step]), size);
    }
    return window;
}

/// x in quarters of a turn; the rest, in turns, to 2^-150 and a relative 2^-100.  A product is a sum of two
/// numbers.  They are added to a number that is so much greater that a sum of them is exact but for the part
/// below its last bit; that part is added to a second number; and the remainder then has few digits that
/// matter.
template <class T>
Turns<T> quarter_turns(const T& number) {
    const PiecesOfTurns<T> window = pieces_of_turns(number);
    const T coarse_base = like(number, 6), fine_base = like(number, 0x1.8p-46),
            magic = like(number, 0x1.8p52);
    const auto fraction = [](const T& x) { return x - round_to_even(x); };
    Extended<T> parts[4];
    for (int k = 0; k < 4; ++k) parts[k] = exact_product(window.x, window.pieces[k]);
    const T coarse[] = {fraction(parts[0].high), fraction(parts[0].low), fraction(parts[1].high),
                        parts[1].low, parts[2].high};
    T fine[] = {fine_base, fine_base, fine_base, fine_base, fine_base, parts[2].low, parts[3].high};
    Extended<T> sum{coarse_base, coarse_base}, rest{fine_base, fine_base};
    for (int k = 0; k < 5; ++k) {
        sum = fast_sum(sum.high, coarse[k]);
        fine[k] = sum.low;
    }
    T least = fma(window.x, window.pieces[4], parts[3].low);
    for (int k = 0; k < 7; ++k) {
        rest = fast_sum(rest.high, fine[k]);
        least = least + rest.low;
    }
    const T turns = sum.high - coarse_base;
    const T mark = fma(turns, like(number, 4), magic);
    const T left = fma(mark - magic, like(number, -0.25), turns);
    const Extended<T> exact = exact_sum(left, rest.high - fine_base);
    return {{exact.high, exact.low + least}, mark};
}

/// The product of a number, to twice its digits, with 2 pi times a power of two.
template <class T>
Extended<T> times_turn(const Extended<T>& x, double power) {
    const T turn = like(x.high, 0x1.921fb54442d18p+2 * power),
            rest = like(x.high, 0x1.1a62633145c07p-52 * power);
    const T product = x.high * turn;
    return {product, fma(x.high, turn, -product) + fma(x.high, rest, x.low * turn)};
}

/// sin of an angle within pi / 4.  Degree 17, odd; relative error 2^-57.  Source: as in sin_pi_single.
template <class T>
Extended<T> sine_of(const Extended<T>& angle) {
    constexpr double terms[] = {-0x1.5555555555555p-3, 0x1.1111111111110p-7,   -0x1.a01a01a019938p-13,
                                0x1.71de3a546095ap-19, -0x1.ae645412c5549p-26, 0x1.61217f0b7666bp-33,
                                -0x1.ab17d3ff2df5ep-41};
    const T x = angle.high, z = x * x;
    const T slope = fma(z, like(x, -0.5), like(x, 1));
    return fast_sum(x, fma(x * z, polynomial(z, terms), angle.low * slope));
}

/// cos of an angle within pi / 4.  Degree 14, even; relative error 2^-59.5.  Source: as in sin_pi_single.
template <class T>
Extended<T> cosine_of(const Extended<T>& angle) {
    constexpr double terms[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16967p-10, 0x1.a01a019f4eb00p-16,
                                -0x1.27e4fa17da030p-22, 0x1.1eeb68e934339p-29,  -0x1.907da36274fc5p-37};
    const T x = angle.high, half = like(x, 0.5);
    const Extended<T> square = exact_product(x, x);
    const T z = square.high;
    const Extended<T> first = fast_sum(like(x, 1), -(half * z));
    const T less = fma(x, angle.low, half * square.low);
    return fast_sum(first.high, fma(z * z, polynomial(z, terms), first.low - less));
}

/// The quotient of two sums of two.
template <class T>
T quotient_of(const Extended<T>& a, const Extended<T>& b) {
    const T inverse = like(a.high, 1) / b.high;
    const T quotient = a.high * inverse;
    const T rest = fma(-quotient, b.high, a.high) + fma(-quotient, b.low, a.low);
    return fma(rest, inverse, quotient);
}

template <class T>
Extended<T> select_sum(const auto& condition, const Extended<T>& a, const Extended<T>& b) {
    return {select(condition, a.high, b.high), select(condition, a.low, b.low)};
}

/// sin of x and `quarters` quarters of a turn.
template <class T>
T sin_wide(const T& x, int quarters) {
    const Turns<T> turns = quarter_turns(x);
    const Extended<T> angle = times_turn(turns.rest, 1);
    const auto mark = to_bits(turns.mark);
    const auto bits = mark + bits_like(mark, static_cast<std::uint64_t>(quarters));
    const auto is_odd = (bits & bits_like(bits, 1)) != bits_like(bits, 0);
    return flip_sign(select(is_odd, cosine_of(angle).high, sine_of(angle).high), bits >> 1);
}

template <class T>
T tan_wide(const T& x) {
    const Turns<T> turns = quarter_turns(x);
    const Extended<T> angle = times_turn(turns.rest, 1);
    const Extended<T> sine = sine_of(angle), cosine = cosine_of(angle);
    const auto bits = to_bits(turns.mark);
    const auto is_odd = (bits & bits_like(bits, 1)) != bits_like(bits, 0);
    return flip_sign(quotient_of(select_sum(is_odd, cosine, sine), select_sum(is_odd, sine, cosine)), bits);
}

/// The value for a number so small that it is x.
template <class T>
T unless_tiny(const T& x, const T& value) {
    using std::abs;
    return select(abs(x) < like(x, 0x1p-27), x, value);
}

template <class T>
T sin(const T& number) {
    return by_width(
        number, [](const auto& x) { return sin_single(x); },
        [](const auto& x) { return unless_tiny(x, sin_wide(x, 0)); });
}
template <class T>
T cos(const T& number) {
    return by_width(
        number, [](const auto& x) { return cos_single(x); }, [](const auto& x) { return sin_wide(x, 1); });
}
template <class T>
T tan(const T& number) {
    return by_width(
        number, [](const auto& x) { return tan_single(x); },
        [](const auto& x) { return unless_tiny(x, tan_wide(x)); });
}

/// The number from -1/2 to 1/2 with the same sin(pi x) as `x`, exactly; +0 of integers.
template <class T>
T mirrored_half_turns(const T& x) {
    const T one = like(x, 1), half = like(x, 0.5);
    const T turns = x - like(x, 2) * round_to_even(x * half);  // from -1 to 1, exact
    return select(turns > half, one - turns, select(turns < -half, -one - turns, turns));
}

/// sin(pi x) and cos(pi x), each to twice the digits, of a number from 0 to 1/2.
template <class T>
struct Circular {
    Extended<T> sine, cosine;
};
template <class T>
Circular<T> circular_pi(const T& x) {
    const T half = like(x, 0.5);
    const auto is_upper = x > like(x, 0.25);
    const Extended<T> angle = times_turn(Extended<T>{select(is_upper, half - x, x), like(x, 0)}, 0.5);
    const Extended<T> sine = sine_of(angle), cosine = cosine_of(angle);
    return {select_sum(is_upper, cosine, sine), select_sum(is_upper, sine, cosine)};
}

/// sin(pi x) of a float64; exactly +0 at integers.
template <class T>
T sin_pi(const T& x) {
    using std::abs;
    const T turns = mirrored_half_turns(x);
    return with_sign_of(circular_pi(abs(turns)).sine.high, turns);
}

/// tan(pi x) of a float64 from -1/2 to 1/2.
template <class T>
T tan_pi(const T& x) {
    using std::abs;
    const Circular<T> values = circular_pi(abs(x));
    return with_sign_of(quotient_of(values.sine, values.cosine), x);
}

template <class T>
T sinc_single(const T& number) {
    using std::abs;
    const auto x = widen(abs(number)), one = like(x, 1);
    const auto value = sin_pi_single(mirrored_half_turns(x)) / (x * like(x, std::numbers::pi));
    return narrow(number, select(x == like(x, 0), one, value));
}

template <class T>
T sinc_wide(const T& number) {
    using std::abs;
    const T size = abs(number), zero = like(number, 0), one = like(number, 1), huge = like(number, 0x1p53);
    const T x = select(size >= huge, one, size);
    const T turns = mirrored_half_turns(x);
    const T value = quotient_of(circular_pi(abs(turns)).sine, times_turn(Extended<T>{x, zero}, 0.5));
    const T near = select(size < like(number, 0x1p-28), one, with_sign_of(value, turns));
    const T infinity = like(number, std::numeric_limits<double>::infinity());
    const T nan = like(number, std::numeric_limits<double>::quiet_NaN());
    return select(size >= huge, select(size == infinity, nan, zero), near);
}

/// sin(pi x) / (pi x); 1 at 0.  Numbers of 2^53 and more are whole.
template <class T>
T sinc(const T& number) {
    return by_width(
        number, [](const auto& x) { return sinc_single(x); }, [](const auto& x) { return sinc_wide(x); });
}

}  // namespace frisket::formulas
